# SPDX-License-Identifier: BSD-3-Clause
"""Language models: training with tied weights, generation token by token, translation, mixture of experts."""

import torch
import torch.nn.functional as F
from assay.programs.judge import ProgramCase, program
from torch import nn

PRELOAD = ("torch._dynamo",)  # optimizers import this module on first use
WORDS, WIDTH, HEADS = 23, 16, 2


class Block(nn.Module):
    """Attention and two layers. `past`: keys and values of the previous tokens."""

    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.parts = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.together = nn.Linear(WIDTH, WIDTH)
        self.layers = nn.Sequential(nn.Linear(WIDTH, 32), nn.GELU(), nn.Linear(32, WIDTH))

    def forward(self, x, past=None, hidden=None):
        split = self.parts(self.before(x)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        query, key, value = split.unbind()
        if past is not None:
            key, value = (torch.cat(pair, dim=2) for pair in zip(past, (key, value), strict=True))
        causal = past is None and hidden is None
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=hidden, is_causal=causal)
        x = x + self.together(seen.transpose(1, 2).flatten(2))
        return x + self.layers(self.between(x)), (key, value)


class Language(nn.Module):
    """Two blocks. The output scores use the weight of the input embedding."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(16, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.scores = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.scores.weight = self.words.weight

    def forward(self, text, past=(None, None), places=None, hidden=None):
        if places is None:
            first = 0 if past[0] is None else past[0][0].shape[2]
            places = torch.arange(first, first + text.shape[1], device=text.device)
        x, kept = self.words(text) + self.places(places), []
        for block, before in zip(self.blocks, past, strict=True):
            x, pair = block(x, before, hidden)
            kept.append(pair)
        return self.scores(self.norm(x)), kept


@program("programs.language_model_with_tied_weights_trains")
def tied_language_model(place):
    model = place.move(place.made(Language))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    texts = [place.labels(WORDS, 4, 9) for _ in range(3)]

    def loss_of(number):
        text = texts[number]
        return F.cross_entropy(model(text[:, :-1])[0].flatten(0, 1), text[:, 1:].flatten())

    place.train(model, optimizer, loss_of)


@program("programs.generation_with_a_cache_equals_generation_without")
@torch.no_grad()
def greedy_generation(place):
    model, text = place.model(Language).eval(), place.labels(WORDS, 3, 4)
    scores, past = model(text)
    for _ in range(6):
        word = scores[:, -1].argmax(-1, keepdim=True)
        text = torch.cat([text, word], dim=1)
        scores, past = model(word, past)
        place.see(f"the scores of token {text.shape[1] + 1}", scores)
    place.see("the text", text)
    place.see("the scores without a cache", model(text)[0])


@program("programs.left_padding_does_not_change_scores")
@torch.no_grad()
def left_padded_batch(place):
    """Two texts of different length in one batch. The padding must not affect the texts."""
    model, text = place.model(Language).eval(), place.labels(WORDS, 2, 6)
    is_word = place.put(torch.tensor([[False] * 3 + [True] * 3, [True] * 6]))
    places = (is_word.long().cumsum(-1) - 1).clamp(min=0)
    earlier = torch.ones(6, 6, dtype=torch.bool, device=text.device).tril()
    hidden = earlier & is_word[:, None, None, :]
    together = model(text, places=places, hidden=hidden)[0]
    place.see("the scores of the batch", torch.where(is_word[..., None], together, 0))
    place.see("the scores of the short text alone", model(text[:1, 3:])[0])


class Translation(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        shape = dict(nhead=HEADS, dim_feedforward=32, dropout=0.0, batch_first=True, bias=False)
        self.reads = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, **shape), 1, enable_nested_tensor=False)
        self.writes = nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, **shape, norm_first=True), 1)
        self.scores = nn.Linear(WIDTH, WORDS)

    def forward(self, source, target, is_padding):
        memory = self.reads(self.words(source), src_key_padding_mask=is_padding)
        later = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=target.device).triu(1)
        written = self.writes(self.words(target), memory, tgt_mask=later, memory_key_padding_mask=is_padding)
        return self.scores(written)


@program("programs.translation_model_trains")
def translation(place):
    model = place.model(Translation)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    source, target = place.labels(WORDS, 3, 7), place.labels(WORDS, 3, 6)
    is_padding = place.put(torch.tensor([[False] * 7, [False] * 5 + [True] * 2, [False] * 3 + [True] * 4]))

    def loss_of(number):
        scores = model(source, target[:, :-1], is_padding)
        return F.cross_entropy(scores.transpose(1, 2), target[:, 1:], label_smoothing=0.1)

    place.train(model, optimizer, loss_of)


class Experts(nn.Module):
    """Of four experts, the two with the highest score process each row."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(8, 12), nn.SiLU(), nn.Linear(12, 8)) for _ in range(4))

    def forward(self, x):
        weight, chosen = self.gate(x).softmax(-1).topk(2, dim=-1)
        weight, out = weight / weight.sum(-1, keepdim=True), torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            row, column = torch.where(chosen == number)
            out.index_add_(0, row, expert(x[row]) * weight[row, column, None])
        return out


@program("programs.mixture_of_experts_trains")
def mixture_of_experts(place):
    model, x = place.model(Experts), place.numbers(20, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: (model(x) - x.roll(number, 0)).square().mean())


class LanguagePrograms(ProgramCase):
    def test_sampled(self):
        """programs.sampled_text_depends_only_on_the_seed"""
        self.need_device_seeds()
        model = torch.nn.Module.to(_seeded(Language), self.device)
        texts = [sampled(model, self.device, seed) for seed in (7, 7, 8)]
        self.expect_tensor(texts[1], texts[0], "the same seed samples the same text")
        self.expect_different(self.on_cpu(texts[2]), self.on_cpu(texts[0]), "another seed samples another text")


def _seeded(make):
    generator = torch.default_generator
    state = generator.get_state()
    generator.manual_seed(3)
    try:
        return make().eval()
    finally:
        generator.set_state(state)


@torch.no_grad()
def sampled(model, device, seed):
    text = torch.zeros(4, 1, dtype=torch.long, device=device)
    torch.manual_seed(seed)
    for _ in range(10):
        chances = model(text)[0][:, -1].softmax(-1)
        text = torch.cat([text, chances.multinomial(1)], dim=1)
    return text
