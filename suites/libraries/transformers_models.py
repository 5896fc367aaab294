# SPDX-License-Identifier: BSD-3-Clause
"""Small models of all families of transformers. Each family has one class: the first in the library's tables of
trainable models.

names() returns the families, each with its class, and imports no model. tinies(family) returns the model once for each
implementation of attention. If there is no such model, tinies(family) raises tiny_model.Unfit with the reason.
"""

import importlib
import inspect

import torch
from suites.libraries import transformers_configs, transformers_inputs
from suites.libraries.tiny_model import Unfit, checked, each_way, in_words

TABLES = ("CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "MASKED_LM", "IMAGE_TEXT_TO_TEXT", "IMAGE_CLASSIFICATION",
          "SEMANTIC_SEGMENTATION", "OBJECT_DETECTION", "UNIVERSAL_SEGMENTATION", "DEPTH_ESTIMATION", "VIDEO_CLASSIFICATION",
          "CTC", "SPEECH_SEQ_2_SEQ", "AUDIO_CLASSIFICATION", "TEXT_TO_SPECTROGRAM", "MASKED_IMAGE_MODELING",
          "TIME_SERIES_PREDICTION", "SEQUENCE_CLASSIFICATION", "QUESTION_ANSWERING", "PRETRAINING")
WARM = ("transformers", "transformers.modeling_utils", "transformers.models.auto.modeling_auto")
WAYS = ("eager", "sdpa")


def _tables():
    auto = importlib.import_module("transformers.models.auto.modeling_auto")
    for table in TABLES:
        yield getattr(auto, f"MODEL_FOR_{table}_MAPPING_NAMES", {})
    yield auto.MODEL_MAPPING_NAMES


def names():
    found = {}
    for table in _tables():
        for family, name in table.items():
            found.setdefault(family, name if isinstance(name, str) else name[0])
    return found


def tinies(family):
    import transformers

    model_class = _found(lambda: getattr(transformers, names()[family]))
    config_class = _found(lambda: getattr(model_class, "config_class", None) or transformers.CONFIG_MAPPING[family])
    first = None
    for scheme in transformers_configs.SCHEMES:
        try:
            return _in_each_way(model_class, _found(lambda: transformers_configs.small(config_class, scheme)))
        except Unfit as unfit:
            first = first or unfit
    raise first


def _in_each_way(model_class, config):
    _found(lambda: _need_small(model_class, config))
    inputs = list(transformers_inputs.to_try(model_class, inspect.signature(model_class.forward).parameters, config))
    return each_way(lambda way: checked(lambda: _with_attention(model_class, config, way), inputs, way),
                    [way for way in WAYS if way != "sdpa" or getattr(model_class, "_supports_sdpa", False)])


def _with_attention(model_class, config, way):
    config._attn_implementation = way
    # the other implementations use a grouped matrix product, which has no kernel for double
    config._experts_implementation = "eager"
    return model_class(config)


def _need_small(model_class, config):
    """Counts the parameters before memory is allocated."""
    with torch.device("meta"):
        count = sum(one.numel() for one in model_class(config).parameters())
    if count > 20_000_000:
        raise Unfit(f"the model cannot be made small: {count:,} parameters")


def _found(make):
    try:
        return make()
    except Unfit:
        raise
    except Exception as error:
        raise Unfit(f"no small model is known: {in_words(error)}") from error
