# SPDX-License-Identifier: BSD-3-Clause
"""Records which operators real models use. Writes used_operators.tsv beside this file.

Twelve public architectures from torchvision and transformers, small and with random weights, are each trained for one
step on the CPU. This script needs both packages:

    python -m venv --system-site-packages V && V/bin/pip install torchvision transformers
    V/bin/python suites/opinfo/models/trace_models.py

Each line has an operator below autograd, the number of models that use it, the number of calls in all models, and
the names of these models.
"""

import collections
from pathlib import Path

import torch
import torch.nn.attention

# torchvision's own operators are compiled for one torch and one driver. No model here uses these operators, but the
# import of torchvision requires this one.
own_operators = torch.library.Library("torchvision", "FRAGMENT")
for one in ("nms", "qnms"):
    own_operators.define(f"{one}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

import torchvision  # noqa: E402
import transformers  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 99}
WORDS = {"vocab_size": 99, "d_model": 32, "d_ff": 64, "d_kv": 8, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}
GPT = {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "bos_token_id": 0, "eos_token_id": 0}
AUDIO = {"vocab_size": 99, "d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_source_positions": 50,
         "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}


class Counted(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.calls[function.name()] += function.namespace == "aten"
        return function(*args, **(kwargs or {}))


def vision(make, size=64, **options):
    def run():
        model = make(weights=None, num_classes=7, **options).train()
        result = model(torch.rand(2, 3, size, size))
        if isinstance(result, dict):  # segmentation: one class per pixel
            return model, torch.nn.functional.cross_entropy(result["out"], torch.ones(2, size, size, dtype=torch.long))
        return model, torch.nn.functional.cross_entropy(result, torch.tensor([1, 2]))

    return run


def language(kind, config, options):
    def run():
        model = getattr(transformers, kind)(getattr(transformers, config)(**options)).train()
        words = torch.randint(3, 90, (2, 12))
        return model, model(input_ids=words, attention_mask=torch.ones_like(words), labels=words).loss

    return run


def speech():
    model = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(**AUDIO)).train()
    return model, model(input_features=torch.rand(2, 80, 100), labels=torch.randint(3, 90, (2, 6))).loss


MODELS = {
    "resnet18": vision(torchvision.models.resnet18),
    "mobilenet_v3_small": vision(torchvision.models.mobilenet_v3_small),
    "efficientnet_b0": vision(torchvision.models.efficientnet_b0),
    "swin_t": vision(torchvision.models.swin_t),
    "vit_b_16": vision(torchvision.models.vit_b_16, image_size=64),
    "lraspp_mobilenet_v3": vision(torchvision.models.segmentation.lraspp_mobilenet_v3_large, weights_backbone=None),
    "convnext_tiny": vision(torchvision.models.convnext_tiny),
    "bert": language("BertForMaskedLM", "BertConfig", SMALL),
    "gpt2": language("GPT2LMHeadModel", "GPT2Config", GPT),
    "llama": language("LlamaForCausalLM", "LlamaConfig", SMALL),
    "t5": language("T5ForConditionalGeneration", "T5Config", WORDS),
    "whisper": speech,
}


def step(make):
    torch.manual_seed(1)
    # Without this setting, a single kernel that only the CPU has would compute attention.
    with Counted() as counted, torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        model, loss = make()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return counted.calls


def main():
    used, calls = collections.defaultdict(list), collections.Counter()
    for name, make in MODELS.items():
        seen = +step(make)
        calls.update(seen)
        for operator in seen:
            used[operator].append(name)
        print(f"{name}: {len(seen)} operators")
    order = sorted(used, key=lambda operator: (-len(used[operator]), -calls[operator], operator))
    head = f"# torch {torch.__version__}, torchvision {torchvision.__version__}, transformers {transformers.__version__}; {len(MODELS)} models\n"
    rows = [f"{operator}\t{len(used[operator])}\t{calls[operator]}\t{' '.join(used[operator])}\n" for operator in order]
    path = Path(__file__).with_name("used_operators.tsv")
    path.write_text(head + "# operator\tmodels\tcalls\twhich\n" + "".join(rows))
    print(f"{len(order)} operators in {path}")


if __name__ == "__main__":
    main()
