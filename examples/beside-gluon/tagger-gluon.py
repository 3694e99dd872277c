"""tagger-gluon.py — an LSTM that gives every word of a sentence one of four tags: trained, exported, opened again, with MXNet.

A word is of the first or of the second half of the dictionary; the tag says of which it and the word before it are.
"""
import mxnet as mx
import numpy

WORDS, LENGTH, BATCH, TAGS = 20, 10, 16, 4


def new_tagger():
    net = mx.gluon.nn.HybridSequential()
    with net.name_scope():
        net.add(mx.gluon.nn.Embedding(WORDS, 8))
        net.add(mx.gluon.rnn.LSTM(16, input_size=8, layout="NTC"))
        net.add(mx.gluon.nn.Dense(TAGS, in_units=16, flatten=False))
    net.initialize(mx.init.Xavier())
    return net


def draw_sentences(generator):
    words = generator.integers(0, WORDS, (BATCH, LENGTH))
    is_second = words >= WORDS // 2
    tags = is_second + 2 * numpy.pad(is_second, ((0, 0), (1, 0)))[:, :-1]
    return mx.nd.array(words), mx.nd.array(tags)


def accuracy(net, words, tags):
    return (net(words).asnumpy().argmax(2) == tags.asnumpy()).mean()


mx.random.seed(0)
generator = numpy.random.default_rng(0)
net = new_tagger()
net.hybridize()
loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
for step in range(150):
    words, tags = draw_sentences(generator)
    with mx.autograd.record():
        error = loss(net(words), tags)
    error.backward()
    trainer.step(BATCH)
words, tags = draw_sentences(generator)
right = accuracy(net, words, tags)
net.export("tagger")
again = accuracy(mx.gluon.SymbolBlock.imports("tagger-symbol.json", ["data"], "tagger-0000.params"), words, tags)
print("right on more than 95 % of new words:", "yes" if right > 0.95 else "no")
print("the export is right as often:", "yes" if again == right else "no")
