# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of a model of transformers, by the argument names of its forward. The most likely inputs come first."""

import torch

BATCH, LENGTH = 3, 8


def to_try(model_class, takes, config):
    """Yields inputs of the model, as dicts of CPU tensors. Inputs with labels and a mask come first."""
    draw = torch.Generator().manual_seed(20260103)
    main = getattr(model_class, "main_input_name", "input_ids")
    for plain in mains(main, takes, config, draw):
        for more in additions(model_class.__name__, takes, config, plain, draw):
            yield {**plain, **more}


def number(config, *names, default):
    """The first of these fields that is an integer, in the configuration or in its parts for text or images."""
    parts = [config, *(part for part in vars(config).values() if hasattr(part, "model_type"))]
    for name in names:
        for part in parts:
            value = getattr(part, name, None)
            if isinstance(value, (list, tuple)) and value:
                value = value[0]
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return default


def words(config, draw, length=LENGTH):
    most = number(config, "vocab_size", default=99)
    return torch.randint(5, max(6, min(most, 60)), (BATCH, length), generator=draw)


def mains(main, takes, config, draw):
    """Inputs by the name of the model's main input."""
    channels = number(config, "num_channels", "in_channels", "in_chans", default=3)
    side = number(config, "image_size", "img_size", "crop_size", default=64)
    bins = number(config, "num_mel_bins", "feature_size", "input_dim", default=16)

    def noise(*shape):
        return torch.randn(shape, generator=draw)

    if main == "pixel_values" or "pixel_values" in takes and "input_ids" not in takes:
        for size in dict.fromkeys((side, 32, 64, 224)):
            yield {"pixel_values": noise(BATCH, channels, size, size)}
            yield {"pixel_values": noise(BATCH, 4, channels, size, size)}
            if "input_ids" in takes:
                yield {"pixel_values": noise(BATCH, channels, size, size), "input_ids": words(config, draw)}
    elif main == "pixel_values_videos":
        yield {main: noise(BATCH, number(config, "num_frames", "frames_per_clip", default=4), channels, side, side)}
    elif main == "input_features":
        for length in (2 * number(config, "max_source_positions", default=20), number(config, "max_length", default=64)):
            yield {main: noise(BATCH, bins, length)}
            yield {main: noise(BATCH, length, bins)}
    elif main == "input_values":
        yield {main: noise(BATCH, 2000)}
        yield {main: noise(BATCH, 1, 2000)}
        yield {main: noise(BATCH, number(config, "max_length", default=64), bins)}
    elif main == "past_values":
        length = number(config, "context_length", default=32) + max(getattr(config, "lags_sequence", None) or [0])
        yield {main: noise(BATCH, length, number(config, "num_input_channels", "input_size", default=1))}
        yield {main: noise(BATCH, length)}
    else:
        yield {"input_ids": words(config, draw)}
        if "pixel_values" in takes:
            yield {"input_ids": words(config, draw), "pixel_values": noise(BATCH, channels, side, side)}
        if "bbox" in takes:
            yield {"input_ids": words(config, draw), "bbox": torch.zeros(BATCH, LENGTH, 4, dtype=torch.long)}


def additions(name, takes, config, plain, draw):
    masks, labels, decoded = [{}], [{}], [{}]
    if "attention_mask" in takes and "input_ids" in plain:
        mask = torch.ones(BATCH, LENGTH, dtype=torch.long)
        mask[1, :2] = 0
        masks = [{"attention_mask": mask}, {}]
    if "labels" in takes:
        labels = [{"labels": one} for one in labels_for(name, config, plain, draw)] + [{}]
    if "decoder_input_ids" in takes:
        decoded = [{}, {"decoder_input_ids": words(config, draw)}]
    elif "decoder_input_values" in takes:
        decoded = [{}, {"decoder_input_values": torch.randn(BATCH, 4, number(config, "num_mel_bins", default=16), generator=draw)}]
    for one in labels:
        for other in decoded:
            for mask in masks:
                yield {**one, **other, **mask}


def labels_for(name, config, plain, draw):
    if name.endswith(("ImageClassification", "SequenceClassification", "VideoClassification", "AudioClassification")):
        return [torch.randint(2, (BATCH,), generator=draw)]
    if name.endswith("SemanticSegmentation") and "pixel_values" in plain:
        return [torch.randint(2, (BATCH, *plain["pixel_values"].shape[-2:]), generator=draw)]
    if name.endswith("CTC"):
        return [words(config, draw, 3)]
    if name.endswith(("LM", "Generation", "LMHeadModel", "TokenClassification", "PreTraining")):
        return [plain["input_ids"].clone() if "input_ids" in plain else words(config, draw)]
    return []
