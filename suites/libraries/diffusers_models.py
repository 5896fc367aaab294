# SPDX-License-Identifier: BSD-3-Clause
"""Small networks of the library diffusers, which denoise or encode images."""

import torch
from suites.libraries.tiny_model import checked

WARM = ("diffusers",)
BLOCKS = dict(block_out_channels=(16, 32), layers_per_block=1, norm_num_groups=8)
IMAGE, LATENT, WORDS, WIDTH = (2, 3, 16, 16), (2, 4, 8, 8), (2, 6, 16), 16


def _noise(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(20260107))


def _steps():
    return torch.tensor([3, 700])


MODELS = {  # name: (configuration, function that returns the inputs)
    "UNet2DModel": (dict(BLOCKS, sample_size=16, down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                         up_block_types=("AttnUpBlock2D", "UpBlock2D"), attention_head_dim=8),
                    lambda: {"sample": _noise(*IMAGE), "timestep": _steps()}),
    "UNet2DConditionModel": (dict(BLOCKS, sample_size=8, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
                                  up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=WIDTH,
                                  attention_head_dim=8),
                             lambda: {"sample": _noise(*LATENT), "timestep": _steps(),
                                      "encoder_hidden_states": _noise(*WORDS)}),
    "UNet1DModel": (dict(block_out_channels=(8, 16), extra_in_channels=16, down_block_types=("DownBlock1D", "DownBlock1D"),
                         up_block_types=("UpBlock1D", "UpBlock1D"), in_channels=2, out_channels=2),
                    lambda: {"sample": _noise(2, 2, 32), "timestep": _steps()}),
    "AutoencoderKL": (dict(BLOCKS, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2),
                      lambda: {"sample": _noise(*IMAGE)}),
    "VQModel": (dict(BLOCKS, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                     num_vq_embeddings=16),
                lambda: {"sample": _noise(*IMAGE)}),
    "AutoencoderTiny": (dict(encoder_block_out_channels=(16, 16), decoder_block_out_channels=(16, 16), num_encoder_blocks=(1, 1),
                             num_decoder_blocks=(1, 1)),
                        lambda: {"sample": _noise(*IMAGE)}),
    "DiTTransformer2DModel": (dict(num_attention_heads=2, attention_head_dim=8, num_layers=2, sample_size=8, patch_size=2,
                                   norm_num_groups=8, num_embeds_ada_norm=1000, out_channels=4),
                              lambda: {"hidden_states": _noise(*LATENT), "timestep": _steps(),
                                       "class_labels": torch.tensor([1, 2])}),
    "Transformer2DModel": (dict(num_attention_heads=2, attention_head_dim=8, in_channels=4, norm_num_groups=2, sample_size=8,
                                cross_attention_dim=WIDTH),
                           lambda: {"hidden_states": _noise(*LATENT), "encoder_hidden_states": _noise(*WORDS)}),
    "PixArtTransformer2DModel": (dict(num_attention_heads=2, attention_head_dim=8, num_layers=2, sample_size=8, patch_size=2,
                                      cross_attention_dim=WIDTH, caption_channels=WIDTH, out_channels=8, norm_num_groups=2,
                                      use_additional_conditions=False),
                                 lambda: {"hidden_states": _noise(*LATENT), "timestep": _steps(),
                                          "encoder_hidden_states": _noise(*WORDS)}),
    "SD3Transformer2DModel": (dict(sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8,
                                   num_attention_heads=2, joint_attention_dim=WIDTH, caption_projection_dim=WIDTH,
                                   pooled_projection_dim=WIDTH, out_channels=4, pos_embed_max_size=16),
                              lambda: {"hidden_states": _noise(*LATENT), "timestep": _steps(),
                                       "encoder_hidden_states": _noise(*WORDS), "pooled_projections": _noise(2, WIDTH)}),
    "FluxTransformer2DModel": (dict(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
                                    num_attention_heads=2, joint_attention_dim=WIDTH, pooled_projection_dim=WIDTH,
                                    axes_dims_rope=(4, 4, 8)),
                               lambda: {"hidden_states": _noise(2, 16, 4), "timestep": torch.tensor([0.1, 0.7]),
                                        "encoder_hidden_states": _noise(*WORDS), "pooled_projections": _noise(2, WIDTH),
                                        "img_ids": torch.arange(48.0).reshape(16, 3), "txt_ids": torch.zeros(6, 3)}),
}


def names():
    return {name: name for name in MODELS}


def tinies(name):
    import diffusers

    numbers, inputs = MODELS[name]
    return [checked(lambda: getattr(diffusers, name)(**numbers), [inputs()])]
