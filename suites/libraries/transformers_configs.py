# SPDX-License-Identifier: BSD-3-Clause
"""A small configuration for any family of transformers: small values for the usual names of its fields.

Only default values of a family's configuration are made smaller. The configuration still derives its other values.
"""

import dataclasses
import inspect
import re

WIDTH, HEADS, WORDS, PLACES = 32, 4, 99, 64
IMAGE, PATCH = 32, 8
LAYERS = 2
# Further numbers for families that refuse the first numbers: as many key heads as query heads, or twice the width.
SCHEMES = ({}, {"num_key_value_heads": HEADS}, {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 32})

# The first pattern that matches a name decides. Only the patterns in EXACTLY may make a number larger.
EXACTLY = [
    (r"(hidden_)?(act|activation).*", None),
    (r".*(dropout|_drop|pdrop|drop_rate|drop_path\w*|layerdrop|drop_prob|router_jitter_noise|label_noise_ratio)", 0.0),
    (r"(mask_time_prob|mask_feature_prob|mask_ratio)", 0.0),
    (r"apply_spec_augment|use_cache|use_pretrained_backbone|output_router_logits", False),
    (r"num_key_value_heads|num_kv_heads|encoder_kv_heads|kv_heads|n_head_kv", 2),
    (r"(qk_rope_head_dim|qk_nope_head_dim|v_head_dim|d_kv|head_dim|global_head_dim|attention_head_dim|\w*key_head_dim|"
     r"\w*value_head_dim|index_head_dim)", WIDTH // HEADS),
    (r"kv_lora_rank|q_lora_rank|\w*lora_rank|\w*lora_dim|time_step_rank", WIDTH // 2),
    (r"(num_experts|num_local_experts|n_routed_experts|moe_num_experts|num_routed_experts)", 4),
    (r"(num_experts_per_tok\w*|moe_topk|moe_k|num_selected_experts|top_k_experts)", 2),
    (r"n_group|topk_group|n_shared_experts|num_shared_experts", 1),
    (r"first_k_dense_replace|num_mtp_layers|num_nextn_predict_layers", 1),
    (r"image_size|img_size|crop_size", IMAGE), (r"patch_size", PATCH),
    (r"num_mel_bins|feature_size|mel_bins|input_feat_per_channel", 16),
    (r"max_source_positions", 20),
    (r"num_conv_pos_embeddings", 16), (r"num_conv_pos_embedding_groups|conv_pos_groups", 2),
    (r"num_labels", 3), (r"num_groups", 4), (r"attention_types", [[["global", "local"], 1]]),
]
AT_MOST = [
    (r".*vocab_size|vocab_size_\w+", WORDS),
    (r"(max_position_embeddings|n_positions|n_ctx|max_target_positions|context_length|max_seq_len\w*)", PLACES),
    (r"(\w*hidden_layers|\w+_layers|n_layers?|\w*num_layers|depth|num_blocks|n_blocks|\w+_depth|num_stages)", LAYERS),
    (r"(\w*attention_heads|n_heads?|num_heads|\w+_heads|nhead|decoder_n_heads)", HEADS),
    (r"(\w*intermediate_size|\w*ffn_dim|d_ff|n_inner|mlp_dim|\w*ffn_hidden_size|\w*mlp_size|\w*feedforward\w*|"
     r"shared_expert_intermediate_size)", 48),
    (r"(\w*hidden_size|\w*hidden_dim|d_model|n_embd|embed_dim|\w*embed_dim|\w*embedding_size|\w*embedding_dim|dim|"
     r"\w*projection_dim|proj\w*_dim|\w*projection_size|output_dim|codebook_dim|\w*out_channels|d_embed|lru_width|"
     r"classifier_proj_size|fpn_feature_size|mask_feature_size|\w*_channels|tdnn_dim|xvector_output_dim|width)", WIDTH),
    (r"(num_queries|num_denoising|num_proposals|decoder_n_points|encoder_n_points|num_feature_levels)", 8),
    (r"(\w*state_size|d_state|mamba_d_state|ssm_state_size)", 8),
    (r"(sliding_window|\w*window_size|local_attention|attention_window)", 8),
    (r"(chunk_size|mamba_chunk_size|\w*chunk_length)", 8),
    (r"(codebook_size|num_codevectors_per_group)", 16), (r"index_topk|num_frames|frames_per_clip", 4),
    (r"(num_register_tokens|query_length|num_query_tokens|num_latents|qformer_\w*)", 4),
    (r"(upsample_initial_channel|dec_hidden_size|encoder_hidden_dim|base_channels)", WIDTH),
]
KEPT = re.compile(r"(in_channels|num_channels|audio_channels|type_vocab_size|mlp_ratio|hidden_expansion|out_channels_\w+|"
                  r"num_hidden_groups|\w+_window_layers|vision_feature_layer)")
TOKEN = re.compile(r"(\w*_token_id|\w*_token_index|image_token|pad_index|\w*_index)")


def small(config_class, scheme=SCHEMES[0]):
    """Returns a small configuration, or raises the exception with which the family refuses it."""
    given, fields = {}, fields_of(config_class)
    for number, (name, default) in enumerate(fields.items()):
        value = small_value(name, default, number)
        if value is not None:
            given[name] = value
    given.update({name: value for name, value in scheme.items() if name in fields})
    given.update(small_parts(config_class, scheme))
    return config_class(**given)


def small_parts(config_class, scheme):
    """Returns small copies of the configurations that a configuration contains."""
    try:
        whole = config_class()
    except Exception:  # the class cannot be created without arguments
        return {}
    return {name: small_like(value, scheme) for name, value in vars(whole).items() if is_config(value)}


def small_like(config, scheme):
    """A small copy of a configuration whose values differ from the defaults of its class, as in a composite model."""
    own = fields_of(type(config))
    kept = {name: getattr(config, name, None) for name in ("out_features", "out_indices", "backbone")
            if name in own and getattr(config, name, None) is not None}
    made = small(type(config), scheme)
    for name, value in kept.items():
        try:
            setattr(made, name, value)
        except Exception:  # the small configuration has fewer stages
            pass
    return made


def is_config(value):
    return any(base.__name__ in ("PreTrainedConfig", "PretrainedConfig") for base in type(value).__mro__)


def fields_of(config_class):
    """Names and defaults of the fields."""
    if dataclasses.is_dataclass(config_class):
        return {one.name: one.default if one.default is not dataclasses.MISSING else _made(one)
                for one in dataclasses.fields(config_class)}
    parameters = inspect.signature(config_class.__init__).parameters.values()
    return {one.name: None if one.default is one.empty else one.default for one in parameters
            if one.kind is one.POSITIONAL_OR_KEYWORD and one.name != "self"}


def _made(field):
    return None if field.default_factory is dataclasses.MISSING else field.default_factory()


def small_value(name, default, number):
    """Returns the value to use in place of `default`, or None to keep the default."""
    if KEPT.fullmatch(name) or default is None:
        return None
    if isinstance(default, (list, tuple)):
        return small_list(name, default)
    for pattern, value in EXACTLY:
        if re.fullmatch(pattern, name):
            return exact_value(value, default)
    if isinstance(default, bool) or not isinstance(default, int):
        return None
    if TOKEN.fullmatch(name):
        return WORDS - 2 - number % 30 if default >= WORDS else None
    for pattern, most in AT_MOST:
        if re.fullmatch(pattern, name):
            return min(default, most)
    return None


def exact_value(value, default):
    """If the default is an integer, converts a fraction to an integer, because the family may require an integer."""
    if isinstance(value, float) and isinstance(default, int):
        return type(default)(value)
    return value if value is None or type(value) is type(default) or isinstance(default, (int, float)) else None


def small_list(name, default):
    """A list of small values. Widths of stages grow in the same proportion; each stage has one layer."""
    if not default or not all(isinstance(one, int) and not isinstance(one, bool) for one in default):
        return None
    if re.fullmatch(r"(depths|layers|num_blocks|\w*layer_depths|layers_per_stage|\w*num_layers|blocks_per_stage)", name):
        return type(default)(1 for _ in default)
    if re.fullmatch(r"(\w*hidden_sizes|embed_dims?|\w*widths|channels|\w*_channels|\w*embed_dims|conv_dim|dims|d_model|tdnn_dim)",
                    name):
        least = min(default)
        return type(default)(min(64, 16 * max(1, one // least)) for one in default)
    if re.fullmatch(r"(num_attention_heads|num_heads|\w*heads)", name):
        return type(default)(min(one, 2) for one in default)
    if re.fullmatch(r"image_size|img_size", name):
        return type(default)(IMAGE for _ in default)
    return None
