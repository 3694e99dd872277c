"""zoo_models.py — the models of the packages GluonCV and GluonNLP, and an input for each.

SPDX-License-Identifier: LGPL-2.1-or-later
"""

import fnmatch

import mxnet as mx
import numpy as np

# What a model is called with: shapes that are tried in turn. The first pattern that matches counts.
IMAGES = [
    ("cifar_*", [(1, 3, 32, 32)]),
    ("ssd_300_*", [(1, 3, 300, 300)]),
    ("ssd_512_*", [(1, 3, 512, 512)]),
    ("yolo3_*", [(1, 3, 160, 160)]),
    ("center_net_*", [(1, 3, 128, 128)]),
    ("*rcnn_*", [(1, 3, 160, 224)]),
    ("siamrpn_*", [(1, 3, 127, 127)]),
    ("monodepth2_*posenet*", [(1, 6, 192, 640)]),
    ("monodepth2_*", [(1, 3, 192, 640)]),
    ("*pose_*", [(1, 3, 256, 192)]),
    ("danet_*", [(1, 3, 96, 96)]),
    ("*_citys", [(1, 3, 96, 96)]),
    ("icnet_*", [(1, 3, 96, 96)]),
    ("*_ade", [(1, 3, 96, 96)]),
    ("fcn_*", [(1, 3, 96, 96)]),
    ("psp_*", [(1, 3, 96, 96)]),
    ("deeplab_*", [(1, 3, 96, 96)]),
    ("hrnet_*_s", [(1, 3, 96, 96)]),
    ("slowfast_*", [(1, 3, 36, 64, 64), (1, 3, 40, 64, 64), (1, 3, 64, 64, 64), (1, 3, 80, 64, 64)]),
    ("c3d_*", [(1, 3, 16, 112, 112)]),
    ("i3d_*", [(1, 3, 32, 64, 64), (1, 3, 16, 224, 224), (1, 3, 32, 224, 224)]),
    ("p3d_*", [(1, 3, 16, 64, 64), (1, 3, 16, 112, 112), (1, 3, 16, 224, 224)]),
    ("r2plus1d_*", [(1, 3, 8, 64, 64), (1, 3, 16, 112, 112)]),
    ("inceptionv3*", [(1, 3, 299, 299)]),
    ("googlenet", [(1, 3, 224, 224)]),
    ("*", [(1, 3, 64, 64), (1, 3, 224, 224), (1, 3, 299, 299), (1, 3, 331, 331)]),
]

# Segmentation networks resize to a size that is fixed when they are built.
SEGMENTATION = ["danet_*", "*_citys", "icnet_*", "*_ade", "fcn_*", "psp_*", "deeplab_*"]

WORDS = ["the", "a", "of", "to", "and", "in", "is", "it", "that", "was", "for", "on", "as", "with", "he", "be", "at", "by"]


def without_downloads():
    """Makes the packages go on with uninitialised parameters where they would fetch trained ones."""
    import gluoncv.model_zoo.model_store as store
    load = mx.gluon.Block.load_parameters
    store.get_model_file = lambda *arguments, **options: ""
    mx.gluon.Block.load_parameters = lambda self, path, *arguments, **options: load(self, path, *arguments, **options) if path else None
    mx.gluon.ParameterDict.reset_ctx = lambda self, context: None


def names():
    """All models, GluonCV's first."""
    from gluoncv.model_zoo import get_model_list
    return sorted(get_model_list()) + [f"nlp:{name}" for name in sorted(NLP)]


def build(name):
    """A hybridised block that has run once, the inputs that it is called with, and their sizes as text."""
    return build_text(name[4:]) if name.startswith("nlp:") else build_image(name)


class AnyShape(mx.init.Xavier):
    """Xavier for matrices and filters, ones for vectors, for which some blocks state no initialiser."""

    def _init_weight(self, name, array):
        if array.ndim < 2:
            array[:] = 1
        else:
            super()._init_weight(name, array)


def initialise(block):
    block.initialize(AnyShape())
    if isinstance(block, mx.gluon.HybridBlock):
        block.hybridize()


def to_mxnet(inputs):
    """MXNet's arrays in the same nested lists."""
    return [to_mxnet(value) if isinstance(value, list) else mx.nd.array(value, dtype=value.dtype) for value in inputs]


def flatten(inputs):
    """The arrays of nested lists, in the order in which export() names them."""
    return [array for value in inputs for array in (flatten(value) if isinstance(value, list) else [value])]


def call(block, inputs):
    outputs = block(*to_mxnet(inputs))
    mx.nd.waitall()
    return outputs


def run(block, inputs):
    """Calls the block. A hybridised one fails if it has a layer that it does not call, unless its other layers ran before."""
    try:
        return call(block, inputs)
    except ValueError as error:
        if "Deferred initialization failed" not in str(error):
            raise
        block.hybridize(False)
        call(block, inputs)
        block.hybridize()
        return call(block, inputs)


def image_options(name, size):
    options = {"pretrained": False, "pretrained_base": False}
    if any(fnmatch.fnmatch(name, pattern) for pattern in SEGMENTATION):
        options.update(base_size=size, crop_size=size)
        if name.startswith(("fastscnn", "icnet")):
            options.update(height=size, width=size) if name.startswith("icnet") else None
    if name.endswith("_v1b_custom"):
        options["use_kinetics_pretrain"] = False
    if name.endswith("_custom") or name.startswith("custom_"):
        options["classes"] = ["cat", "dog", "bird"]
        if "resnet" in name and not any(part in name for part in ("ssd", "rcnn", "yolo")) or name.startswith(("i3d", "slowfast")):
            options.update(classes=3, nclass=3)
    return options


def construct(name, options):
    """The block; options that its constructor does not know are left out one after the other."""
    from gluoncv.model_zoo import get_model
    without_downloads()
    while True:
        try:
            return get_model(name, **options)
        except (TypeError, AssertionError, Warning) as error:
            unknown = [key for key in options if f"'{key}'" in str(error)]
            if not unknown and "kwargs" in str(error) and "pretrained_base" in options:
                unknown = ["pretrained_base"]
            if not unknown:
                raise
            options = {key: value for key, value in options.items() if key != unknown[0]}


def build_image(name):
    shapes = next(shapes for pattern, shapes in IMAGES if fnmatch.fnmatch(name, pattern))
    if name.endswith("_int8"):
        raise ValueError("int8 graphs are made by quantising a trained model")
    random, failure = np.random.RandomState(7), None
    for shape in shapes:
        inputs = [random.uniform(-1.5, 1.5, shape).astype(np.float32)]
        if name.startswith("siamrpn"):
            inputs.append(random.uniform(-1.5, 1.5, (1, 3, 287, 287)).astype(np.float32))
        try:
            block = construct(name, image_options(name, shape[-1]))
            initialise(block)
            run(block, inputs)
            return block, inputs, " ".join("×".join(map(str, value.shape)) for value in flatten(inputs))
        except (mx.MXNetError, AssertionError, ValueError) as error:
            failure = failure or error
    raise failure


def vocabulary():
    import gluonnlp
    return gluonnlp.Vocab(gluonnlp.data.count_tokens(WORDS))


def bert_vocabulary():
    import gluonnlp
    return gluonnlp.vocab.BERTVocab(gluonnlp.data.count_tokens(WORDS))


def ids(random, *shape):
    return random.randint(4, len(WORDS), shape).astype(np.float32)


def bert(name, **options):
    import gluonnlp
    random = np.random.RandomState(3)
    block, _ = gluonnlp.model.get_model(name, dataset_name=None, vocab=bert_vocabulary(), pretrained=False, **options)
    tokens, types = ids(random, 2, 12), np.repeat([[0] * 7 + [1] * 5], 2, 0).astype(np.float32)
    lengths = np.array([12, 9], np.float32)
    if name.startswith("roberta"):
        return block, [tokens, lengths]
    if name.startswith("distilbert"):
        return block, [tokens, lengths]
    return block, [tokens, types, lengths]


def language_model(name):
    import gluonnlp
    block, _ = gluonnlp.model.get_model(name, dataset_name=None, vocab=vocabulary(), pretrained=False)
    block._dropout = 0      # standard_lstm_* call Dropout with an NDArray where they are traced; it has no effect in inference
    return block, [ids(np.random.RandomState(3), 6, 2)]


class Unrolled(mx.gluon.HybridBlock):
    """A model whose forward() is not hybrid, unrolled over a fixed number of steps."""

    def __init__(self, model, steps):
        super().__init__()
        self.embedding, self.encoder, self.decoder, self.steps = model.embedding, model.encoder, model.decoder, steps

    def hybrid_forward(self, F, inputs, states):
        encoded, states = self.encoder.unroll(self.steps, self.embedding(inputs), states, layout="TNC", merge_outputs=True)
        return self.decoder(encoded), states


def big_language_model(name):
    import gluonnlp
    block, _ = gluonnlp.model.get_model(name, dataset_name=None, vocab=vocabulary(), pretrained=False)
    states = [state.asnumpy() for state in block.begin_state(batch_size=2)]
    return Unrolled(block, 6), [ids(np.random.RandomState(3), 6, 2), states]


def elmo(name):
    import gluonnlp
    block = gluonnlp.model.get_model(name, dataset_name=None, pretrained=False)[0]
    states = [[[state.asnumpy() for state in layer] for layer in direction]
              for direction in block.begin_state(mx.nd.zeros, batch_size=2)]
    return block, [np.random.RandomState(3).randint(1, 200, (2, 5, 50)).astype(np.float32), states]


class Encode(mx.gluon.HybridBlock):
    """The first half of a translation model, which is not hybrid as a whole."""

    def __init__(self, model):
        super().__init__()
        self.embedding, self.encoder = model.src_embed, model.encoder

    def hybrid_forward(self, F, inputs, length):
        return self.encoder(self.embedding(inputs), None, length)[0]


class Decode(mx.gluon.HybridBlock):
    """The second half."""

    def __init__(self, model):
        super().__init__()
        self.embedding, self.decoder, self.project = model.tgt_embed, model.decoder, model.tgt_proj

    def hybrid_forward(self, F, inputs, states, length):
        return self.project(self.decoder(self.embedding(inputs), states, length)[0])


def translation(name):
    from gluonnlp.model.transformer import get_transformer_encoder_decoder
    from gluonnlp.model.translation import NMTModel
    encoder, decoder, one_step = get_transformer_encoder_decoder(units=512, hidden_size=2048, num_layers=6, num_heads=8,
                                                                 max_src_length=530, max_tgt_length=549, scaled=True)
    model = NMTModel(src_vocab=vocabulary(), tgt_vocab=vocabulary(), encoder=encoder, decoder=decoder, one_step_ahead_decoder=one_step,
                     share_embed=True, embed_size=512, tie_weights=True, prefix="transformer_")
    random = np.random.RandomState(3)
    if name.endswith("encoder"):
        return Encode(model), [ids(random, 2, 7), np.array([7, 4], np.float32)]
    memory, lengths = mx.nd.array(random.normal(0, 1, (2, 7, 512)), dtype="float32"), mx.nd.array([7, 4])
    states = decoder.init_state_from_encoder(memory, encoder_valid_length=lengths)
    return Decode(model), [ids(random, 2, 5), [state.asnumpy() for state in states], np.array([5, 3], np.float32)]


NLP = {
    "bert_12_768_12": lambda name: bert(name, use_decoder=False, use_classifier=False),
    "bert_24_1024_16": lambda name: bert(name, use_decoder=False, use_classifier=False),
    "ernie_12_768_12": lambda name: bert(name, use_decoder=False, use_classifier=False),
    "distilbert_6_768_12": bert,
    "roberta_12_768_12": lambda name: bert(name, use_decoder=False),
    "roberta_24_1024_16": lambda name: bert(name, use_decoder=False),
    "awd_lstm_lm_1150": language_model,
    "awd_lstm_lm_600": language_model,
    "standard_lstm_lm_200": language_model,
    "standard_lstm_lm_650": language_model,
    "standard_lstm_lm_1500": language_model,
    "big_rnn_lm_2048_512": big_language_model,
    "elmo_2x1024_128_2048cnn_1xhighway": elmo,
    "elmo_2x2048_256_2048cnn_1xhighway": elmo,
    "elmo_2x4096_512_2048cnn_2xhighway": elmo,
    "transformer_en_de_512 decoder": translation,
    "transformer_en_de_512 encoder": translation,
}


def build_text(name):
    block, inputs = NLP[name](name)
    initialise(block)
    run(block, inputs)
    return block, inputs, " ".join("×".join(map(str, value.shape)) for value in flatten(inputs))
