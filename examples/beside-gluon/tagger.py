"""tagger.py — an LSTM that gives every word of a sentence one of four tags: trained, exported, opened again.

A word is of the first or of the second half of the dictionary; the tag says of which it and the word before it are.
"""
import numpy

import hybridscope

WORDS, LENGTH, BATCH, TAGS = 20, 10, 16, 4


def tagger(F, data):
    vectors = F.Embedding(F.transpose(data), input_dim=WORDS, output_dim=8, name="words")
    state = F.zeros((1, BATCH, 16))
    steps = F.RNN(vectors, F.var("lstm_parameters"), state, state, mode="lstm", state_size=16, num_layers=1, name="lstm")
    return F.FullyConnected(F.swapaxes(steps, dim1=0, dim2=1), num_hidden=TAGS, flatten=False, name="tags")


def draw_sentences(generator, steps):
    words = generator.integers(0, WORDS, (steps, BATCH, LENGTH))
    is_second = words >= WORDS // 2
    tags = is_second + 2 * numpy.pad(is_second, ((0, 0), (0, 0), (1, 0)))[:, :, :-1]
    return words.astype("float32"), tags.astype("float32")


def accuracy(net, words, tags):
    scores, = net.run({"data": words}).values()
    return (scores.argmax(2) == tags).mean()


generator = numpy.random.default_rng(0)
net = hybridscope.trace(tagger, "untrained")
words, tags = draw_sentences(generator, 150)
net = net.train("tagger", {"data": words, "label": tags}, init="uniform", optimizer="adam", set="learning_rate=0.02")
words, tags = draw_sentences(generator, 1)
right = accuracy(net, words[0], tags[0])
again = accuracy(hybridscope.open("tagger-symbol.json"), words[0], tags[0])
print("right on more than 95 % of new words:", "yes" if right > 0.95 else "no")
print("the export is right as often:", "yes" if again == right else "no")
