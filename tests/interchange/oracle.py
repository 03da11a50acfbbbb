#!/usr/bin/env python3
"""Counts the parameters of Hugging Face configs, tensor by tensor.

    oracle.py CONFIG.json…

prints a table of parameters, active parameters, cache elements a token and layers. An oracle for
the program's importer: it shares no formula with it. For each family (model_type) a function
writes down every weight tensor of the reference implementation, the transformers library, by name
and shape; the counts are sums over these lists. Nothing is multiplied by a number of layers, and
experts are listed singly. Of the cache, the tensors that a token adds are listed likewise.

What counts:
  * The causal language model with its head; of bert the encoder with its pooler and no head; of
    vit the classifier and no pooler. Tied embeddings count once, rotary tables not at all.
  * deepseek_v3's e_score_correction_bias counts; its layers of multi-token prediction do not.
  * Active is what a token uses: of each layer's routed experts num_experts_per_tok, all else whole.
A missing key and a null mean what they mean to the reference implementation, which may differ:
mistral without num_key_value_heads has 8, with a null as many as heads. Where the reference
refuses a value, or its versions disagree about a missing key, the oracle raises ValueError.

random_config(seed) draws valid configs of all families for comparisons.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Config = dict[str, Any]
Shape = tuple[int, ...]

# --- Reading a config -------------------------------------------------------------------------

REFUSED = object()


def setting(config: Config, key: str, missing: Any = REFUSED, null: Any = REFUSED) -> Any:
    """The value of a key, or what its absence or its null stands for."""
    value = config.get(key)
    if value is None:
        value = null if key in config else missing
        if value is REFUSED:
            raise ValueError(f"{key} is {'null' if key in config else 'missing'}")
    return value


def flag(config: Config, key: str, missing: bool) -> bool:
    """A yes or no; a null is a no, as anything that is false in Python."""
    return bool(setting(config, key, missing, null=False))


def kv_heads(config: Config, missing: Any, null: Any) -> int:
    """The number of key and value heads; `missing` and `null` are numbers, or "heads"."""
    value = setting(config, "num_key_value_heads", missing, null)
    return config["num_attention_heads"] if value == "heads" else value


def head_size(config: Config, missing: Any, null: Any) -> int:
    """The size of a head; `missing` and `null` are numbers, or "hidden / heads"."""
    value = setting(config, "head_dim", missing, null)
    if value == "hidden / heads":
        return config["hidden_size"] // config["num_attention_heads"]
    return value


# --- Writing down tensors ---------------------------------------------------------------------


@dataclass
class Listing:
    """The tensors of a model: weights, and what a token adds to the cache."""

    weights: list[tuple[str, Shape]] = field(default_factory=list)
    cache: list[tuple[str, Shape]] = field(default_factory=list)
    layers: int = 0
    experts_per_token: int = 0

    def add(self, name: str, *shape: int) -> None:
        """Lists a weight tensor."""
        self.weights.append((name, shape))

    def linear(self, name: str, rows: int, columns: int, bias: bool = False) -> None:
        """Lists a matrix from `columns` to `rows` features, and its bias if it has any."""
        self.add(f"{name}.weight", rows, columns)
        if bias:
            self.add(f"{name}.bias", rows)

    def norm(self, name: str, size: int, bias: bool = False) -> None:
        """Lists the gain of a norm: RMSNorm's without, LayerNorm's with a bias."""
        self.add(f"{name}.weight", size)
        if bias:
            self.add(f"{name}.bias", size)

    def keep(self, layer: str, heads: int, size: int) -> None:
        """Lists what a token leaves in the cache of a layer: a key and a value a head."""
        self.cache.append((f"{layer}.key", (heads, size)))
        self.cache.append((f"{layer}.value", (heads, size)))


LAYER_NORM = True  # the `bias` of Listing.norm


def gated_mlp(model: Listing, name: str, hidden: int, inner: int, bias: bool = False) -> None:
    """Lists the three matrices of a gated feed-forward network."""
    model.linear(f"{name}.gate_proj", inner, hidden, bias)
    model.linear(f"{name}.up_proj", inner, hidden, bias)
    model.linear(f"{name}.down_proj", hidden, inner, bias)


@dataclass(frozen=True)
class Attention:
    """An attention with grouped heads."""

    heads: int
    kv_heads: int
    size: int
    in_bias: bool = False
    out_bias: bool = False
    out_name: str = "o_proj"

    def write(self, model: Listing, layer: str, hidden: int) -> None:
        """Lists its four matrices and its cache."""
        at = f"{layer}.self_attn"
        model.linear(f"{at}.q_proj", self.heads * self.size, hidden, self.in_bias)
        model.linear(f"{at}.k_proj", self.kv_heads * self.size, hidden, self.in_bias)
        model.linear(f"{at}.v_proj", self.kv_heads * self.size, hidden, self.in_bias)
        model.linear(f"{at}.{self.out_name}", hidden, self.heads * self.size, self.out_bias)
        model.keep(layer, self.kv_heads, self.size)


def decoder(config: Config, tied: bool, write_layer: Callable[[Listing, str, int], None],
            layer_norm: bool = False, head_bias: bool = False) -> Listing:
    """A decoder as of Llama: embeddings, layers, a norm, and a head that may be tied."""
    model = Listing(layers=config["num_hidden_layers"])
    hidden, vocabulary = config["hidden_size"], config["vocab_size"]
    model.add("embed_tokens.weight", vocabulary, hidden)
    for i in range(config["num_hidden_layers"]):
        write_layer(model, f"layers.{i}", i)
    model.norm("norm", hidden, layer_norm)
    head(model, vocabulary, hidden, flag(config, "tie_word_embeddings", tied), head_bias)
    return model


def head(model: Listing, vocabulary: int, hidden: int, tied: bool, bias: bool = False) -> None:
    """Lists the head of a language model; a tied head has no matrix of its own, but its bias."""
    if not tied:
        model.add("lm_head.weight", vocabulary, hidden)
    if bias:
        model.add("lm_head.bias", vocabulary)


# --- Dense decoders ---------------------------------------------------------------------------


def dense(config: Config, attention: Attention, tied: bool = False, mlp_bias: bool = False,
          norms: Iterable[str] = ("input_layernorm", "post_attention_layernorm"),
          head_norms: bool = False) -> Listing:
    """A decoder whose layers all have the same attention and gated feed-forward network."""
    hidden = config["hidden_size"]

    def layer(model: Listing, at: str, _: int) -> None:
        attention.write(model, at, hidden)
        if head_norms:
            model.norm(f"{at}.self_attn.q_norm", attention.size)
            model.norm(f"{at}.self_attn.k_norm", attention.size)
        gated_mlp(model, f"{at}.mlp", hidden, config["intermediate_size"], mlp_bias)
        for name in norms:
            model.norm(f"{at}.{name}", hidden)

    return decoder(config, tied, layer)


def llama(config: Config) -> Listing:
    """Llama, all generations."""
    bias = flag(config, "attention_bias", False)
    attention = Attention(config["num_attention_heads"], kv_heads(config, "heads", "heads"),
                          head_size(config, "hidden / heads", "hidden / heads"), bias, bias)
    return dense(config, attention, mlp_bias=flag(config, "mlp_bias", False))


def mistral(config: Config) -> Listing:
    """Mistral; it has no biases, whatever attention_bias says."""
    return dense(config, Attention(config["num_attention_heads"], kv_heads(config, 8, "heads"),
                                   head_size(config, "hidden / heads", "hidden / heads")))


def qwen2(config: Config) -> Listing:
    """Qwen 1.5, 2 and 2.5: biases on queries, keys and values."""
    return dense(config, Attention(config["num_attention_heads"], kv_heads(config, 32, "heads"),
                                   head_size(config, "hidden / heads", REFUSED), in_bias=True))


def qwen3(config: Config) -> Listing:
    """Qwen 3: norms on the heads of queries and keys."""
    bias = flag(config, "attention_bias", False)
    attention = Attention(config["num_attention_heads"], kv_heads(config, 32, "heads"),
                          head_size(config, 128, REFUSED), bias, bias)
    return dense(config, attention, head_norms=True)


def gemma(config: Config) -> Listing:
    """Gemma 1; tied unless it says otherwise."""
    bias = flag(config, "attention_bias", False)
    attention = Attention(config["num_attention_heads"], kv_heads(config, 16, REFUSED),
                          head_size(config, 256, REFUSED), bias, bias)
    return dense(config, attention, tied=True)


def gemma2(config: Config) -> Listing:
    """Gemma 2: norms before and behind both halves of a layer."""
    bias = flag(config, "attention_bias", False)
    attention = Attention(config["num_attention_heads"], kv_heads(config, 4, REFUSED),
                          head_size(config, 256, REFUSED), bias, bias)
    return dense(config, attention, tied=True,
                 norms=("input_layernorm", "post_attention_layernorm",
                        "pre_feedforward_layernorm", "post_feedforward_layernorm"))


def phi(config: Config) -> Listing:
    """Phi 1 and 2: a norm a layer feeds both halves; biases everywhere, on the head as well."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    size = hidden // config["num_attention_heads"]
    attention = Attention(config["num_attention_heads"], kv_heads(config, "heads", "heads"),
                          size, in_bias=True, out_bias=True, out_name="dense")

    def layer(model: Listing, at: str, _: int) -> None:
        attention.write(model, at, hidden)
        if flag(config, "qk_layernorm", False):
            model.norm(f"{at}.self_attn.q_layernorm", size, LAYER_NORM)
            model.norm(f"{at}.self_attn.k_layernorm", size, LAYER_NORM)
        model.linear(f"{at}.mlp.fc1", inner, hidden, bias=True)
        model.linear(f"{at}.mlp.fc2", hidden, inner, bias=True)
        model.norm(f"{at}.input_layernorm", hidden, LAYER_NORM)

    return decoder(config, False, layer, LAYER_NORM, head_bias=True)


def phi3(config: Config) -> Listing:
    """Phi 3 and 4: joint matrices without biases, whatever attention_bias says."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    heads, groups = config["num_attention_heads"], kv_heads(config, "heads", "heads")
    size = head_size(config, "hidden / heads", REFUSED)

    def layer(model: Listing, at: str, _: int) -> None:
        model.linear(f"{at}.self_attn.qkv_proj", (heads + groups + groups) * size, hidden)
        model.linear(f"{at}.self_attn.o_proj", hidden, heads * size)
        model.keep(at, groups, size)
        model.linear(f"{at}.mlp.gate_up_proj", inner + inner, hidden)
        model.linear(f"{at}.mlp.down_proj", hidden, inner)
        model.norm(f"{at}.input_layernorm", hidden)
        model.norm(f"{at}.post_attention_layernorm", hidden)

    return decoder(config, False, layer)


# --- Decoders with experts --------------------------------------------------------------------


def mixtral(config: Config) -> Listing:
    """Mixtral: experts in all layers, no biases."""
    hidden = config["hidden_size"]
    attention = Attention(config["num_attention_heads"], kv_heads(config, 8, "heads"),
                          head_size(config, "hidden / heads", "hidden / heads"))
    experts = setting(config, "num_local_experts", 8)

    def layer(model: Listing, at: str, _: int) -> None:
        attention.write(model, at, hidden)
        model.linear(f"{at}.block_sparse_moe.gate", experts, hidden)
        for e in range(experts):
            gated_mlp(model, f"{at}.block_sparse_moe.experts.{e}", hidden,
                      config["intermediate_size"])
        model.norm(f"{at}.input_layernorm", hidden)
        model.norm(f"{at}.post_attention_layernorm", hidden)

    model = decoder(config, False, layer)
    model.experts_per_token = setting(config, "num_experts_per_tok", 2)
    return model


def is_sparse(config: Config, layer: int, experts: int) -> bool:
    """Whether a layer of Qwen has experts, layers counted from 0."""
    if layer in setting(config, "mlp_only_layers", [], null=[]):
        return False
    return experts > 0 and (layer + 1) % setting(config, "decoder_sparse_step", 1) == 0


def qwen2_moe(config: Config) -> Listing:
    """Qwen 1.5 and 2 with experts, and an expert with a gate that all tokens share."""
    hidden = config["hidden_size"]
    size = head_size(config, "hidden / heads", REFUSED)
    attention = Attention(config["num_attention_heads"], kv_heads(config, 16, REFUSED), size,
                          in_bias=flag(config, "qkv_bias", True))
    experts = setting(config, "num_experts", 60)
    shared = setting(config, "shared_expert_intermediate_size", 5632)

    def layer(model: Listing, at: str, i: int) -> None:
        attention.write(model, at, hidden)
        if is_sparse(config, i, experts):
            model.linear(f"{at}.mlp.gate", experts, hidden)
            for e in range(experts):
                gated_mlp(model, f"{at}.mlp.experts.{e}", hidden,
                          setting(config, "moe_intermediate_size", 1408))
            gated_mlp(model, f"{at}.mlp.shared_expert", hidden, shared)
            model.linear(f"{at}.mlp.shared_expert_gate", 1, hidden)
        else:
            gated_mlp(model, f"{at}.mlp", hidden, config["intermediate_size"])
        model.norm(f"{at}.input_layernorm", hidden)
        model.norm(f"{at}.post_attention_layernorm", hidden)

    model = decoder(config, False, layer)
    model.experts_per_token = setting(config, "num_experts_per_tok", 4)
    return model


def qwen3_moe(config: Config) -> Listing:
    """Qwen 3 with experts and none shared; norms on the heads of queries and keys."""
    hidden = config["hidden_size"]
    bias = flag(config, "attention_bias", False)
    size = head_size(config, "hidden / heads", REFUSED)
    attention = Attention(config["num_attention_heads"], kv_heads(config, 4, REFUSED), size,
                          bias, bias)
    experts = setting(config, "num_experts", 128)

    def layer(model: Listing, at: str, i: int) -> None:
        attention.write(model, at, hidden)
        model.norm(f"{at}.self_attn.q_norm", size)
        model.norm(f"{at}.self_attn.k_norm", size)
        if is_sparse(config, i, experts):
            model.linear(f"{at}.mlp.gate", experts, hidden)
            for e in range(experts):
                gated_mlp(model, f"{at}.mlp.experts.{e}", hidden,
                          setting(config, "moe_intermediate_size", 768))
        else:
            gated_mlp(model, f"{at}.mlp", hidden, config["intermediate_size"])
        model.norm(f"{at}.input_layernorm", hidden)
        model.norm(f"{at}.post_attention_layernorm", hidden)

    model = decoder(config, False, layer)
    model.experts_per_token = setting(config, "num_experts_per_tok", 8)
    return model


def latent_attention(config: Config, model: Listing, layer: str) -> None:
    """Lists DeepSeek's attention, whose keys and values grow from a short vector a token."""
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    nope = setting(config, "qk_nope_head_dim", 128)
    rope = setting(config, "qk_rope_head_dim", 64)
    value = setting(config, "v_head_dim", 128)
    latent = setting(config, "kv_lora_rank", 512)
    rank = setting(config, "q_lora_rank", 1536, null=None)
    bias = flag(config, "attention_bias", False)
    at = f"{layer}.self_attn"
    if rank is None:
        model.linear(f"{at}.q_proj", heads * (nope + rope), hidden)
    else:
        model.linear(f"{at}.q_a_proj", rank, hidden, bias)
        model.norm(f"{at}.q_a_layernorm", rank)
        model.linear(f"{at}.q_b_proj", heads * (nope + rope), rank)
    model.linear(f"{at}.kv_a_proj_with_mqa", latent + rope, hidden, bias)
    model.norm(f"{at}.kv_a_layernorm", latent)
    model.linear(f"{at}.kv_b_proj", heads * (nope + value), latent)
    model.linear(f"{at}.o_proj", hidden, heads * value, bias)
    model.cache += [(f"{layer}.latent", (latent,)), (f"{layer}.rope_key", (rope,))]


def deepseek(config: Config, first_missing: int, shared_missing: Any, active_missing: Any,
             gate_bias: bool) -> Listing:
    """DeepSeek 2 and 3, which differ in the bias of gates and in what missing keys mean."""
    hidden = config["hidden_size"]
    experts = setting(config, "n_routed_experts", null=None)
    shared = setting(config, "n_shared_experts", shared_missing, null=None)
    first_sparse = setting(config, "first_k_dense_replace", first_missing)
    frequency = setting(config, "moe_layer_freq", 1)

    def layer(model: Listing, at: str, i: int) -> None:
        latent_attention(config, model, at)
        if experts is not None and i >= first_sparse and i % frequency == 0:
            inner = config["moe_intermediate_size"]
            model.linear(f"{at}.mlp.gate", experts, hidden)
            if gate_bias:
                model.add(f"{at}.mlp.gate.e_score_correction_bias", experts)
            for e in range(experts):
                gated_mlp(model, f"{at}.mlp.experts.{e}", hidden, inner)
            if shared is not None:
                gated_mlp(model, f"{at}.mlp.shared_experts", hidden, inner * shared)
        else:
            gated_mlp(model, f"{at}.mlp", hidden, config["intermediate_size"])
        model.norm(f"{at}.input_layernorm", hidden)
        model.norm(f"{at}.post_attention_layernorm", hidden)

    model = decoder(config, False, layer)
    if experts is not None:
        model.experts_per_token = setting(config, "num_experts_per_tok", active_missing)
    return model


def deepseek_v2(config: Config) -> Listing:
    """DeepSeek 2."""
    return deepseek(config, first_missing=0, shared_missing=REFUSED, active_missing=REFUSED,
                    gate_bias=False)


def deepseek_v3(config: Config) -> Listing:
    """DeepSeek 3 and R1."""
    return deepseek(config, first_missing=3, shared_missing=1, active_missing=8, gate_bias=True)


def gpt_oss(config: Config) -> Listing:
    """GPT-OSS: biases on attention, router and experts, and a learned sink a head."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    heads, experts = config["num_attention_heads"], setting(config, "num_local_experts", 128)
    bias = flag(config, "attention_bias", True)
    attention = Attention(heads, kv_heads(config, 8, "heads"),
                          head_size(config, 64, "hidden / heads"), bias, bias)

    def layer(model: Listing, at: str, _: int) -> None:
        attention.write(model, at, hidden)
        model.add(f"{at}.self_attn.sinks", heads)
        model.linear(f"{at}.mlp.router", experts, hidden, bias=True)
        for e in range(experts):
            model.linear(f"{at}.mlp.experts.{e}.gate_up_proj", inner + inner, hidden, bias=True)
            model.linear(f"{at}.mlp.experts.{e}.down_proj", hidden, inner, bias=True)
        model.norm(f"{at}.input_layernorm", hidden)
        model.norm(f"{at}.post_attention_layernorm", hidden)

    model = decoder(config, False, layer)
    model.experts_per_token = setting(config, "num_experts_per_tok", 4)
    return model


# --- Earlier decoders, with names and shapes of their own -------------------------------------


def gpt2(config: Config) -> Listing:
    """GPT-2: learned positions, biases everywhere."""
    hidden, heads = config["n_embd"], config["n_head"]
    inner = setting(config, "n_inner", 4 * hidden, null=4 * hidden)
    model = Listing(layers=config["n_layer"])
    model.add("wte.weight", config["vocab_size"], hidden)
    model.add("wpe.weight", config["n_positions"], hidden)
    for i in range(config["n_layer"]):
        model.norm(f"h.{i}.ln_1", hidden, LAYER_NORM)
        model.linear(f"h.{i}.attn.c_attn", hidden + hidden + hidden, hidden, bias=True)
        model.linear(f"h.{i}.attn.c_proj", hidden, hidden, bias=True)
        model.keep(f"h.{i}", heads, hidden // heads)
        model.norm(f"h.{i}.ln_2", hidden, LAYER_NORM)
        model.linear(f"h.{i}.mlp.c_fc", inner, hidden, bias=True)
        model.linear(f"h.{i}.mlp.c_proj", hidden, inner, bias=True)
    model.norm("ln_f", hidden, LAYER_NORM)
    head(model, config["vocab_size"], hidden, flag(config, "tie_word_embeddings", True))
    return model


def gpt_neox(config: Config) -> Listing:
    """GPT-NeoX and Pythia: two norms a layer, parallel or not."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    heads, bias = config["num_attention_heads"], flag(config, "attention_bias", True)

    def layer(model: Listing, at: str, _: int) -> None:
        model.norm(f"{at}.input_layernorm", hidden, LAYER_NORM)
        model.norm(f"{at}.post_attention_layernorm", hidden, LAYER_NORM)
        model.linear(f"{at}.attention.query_key_value", hidden + hidden + hidden, hidden, bias)
        model.linear(f"{at}.attention.dense", hidden, hidden, bias)
        model.keep(at, heads, hidden // heads)
        model.linear(f"{at}.mlp.dense_h_to_4h", inner, hidden, bias=True)
        model.linear(f"{at}.mlp.dense_4h_to_h", hidden, inner, bias=True)

    return decoder(config, False, layer, LAYER_NORM)


def opt_layer(config: Config, model: Listing, at: str) -> None:
    """Lists a layer of OPT; its norms lie before or behind the halves and are the same."""
    hidden, inner = config["hidden_size"], config["ffn_dim"]
    heads, bias = config["num_attention_heads"], flag(config, "enable_bias", True)
    Attention(heads, heads, hidden // heads, bias, bias, "out_proj").write(model, at, hidden)
    model.linear(f"{at}.fc1", inner, hidden, bias)
    model.linear(f"{at}.fc2", hidden, inner, bias)
    if flag(config, "layer_norm_elementwise_affine", True):
        model.norm(f"{at}.self_attn_layer_norm", hidden, LAYER_NORM)
        model.norm(f"{at}.final_layer_norm", hidden, LAYER_NORM)


def opt(config: Config) -> Listing:
    """OPT: two more positions than it says; words may be embedded in fewer features."""
    hidden, vocabulary = config["hidden_size"], config["vocab_size"]
    narrow = setting(config, "word_embed_proj_dim", hidden, null=hidden)
    model = Listing(layers=config["num_hidden_layers"])
    model.add("embed_tokens.weight", vocabulary, narrow)
    model.add("embed_positions.weight", config["max_position_embeddings"] + 2, hidden)
    if narrow != hidden:
        model.linear("project_in", hidden, narrow)
        model.linear("project_out", narrow, hidden)
    for i in range(config["num_hidden_layers"]):
        opt_layer(config, model, f"layers.{i}")
    has_norm = (flag(config, "do_layer_norm_before", True)
                and not flag(config, "_remove_final_layer_norm", False))
    if has_norm and flag(config, "layer_norm_elementwise_affine", True):
        model.norm("final_layer_norm", hidden, LAYER_NORM)
    head(model, vocabulary, narrow, flag(config, "tie_word_embeddings", True))
    return model


def falcon_norms(config: Config, is_new: bool) -> list[str]:
    """The names of a Falcon layer's norms."""
    if not flag(config, "parallel_attn", True):
        return ["input_layernorm", "post_attention_layernorm"]
    default = 2 if is_new else 1
    number = setting(config, "num_ln_in_parallel_attn", default, null=default)
    return ["ln_attn", "ln_mlp"] if number == 2 else ["input_layernorm"]


def falcon(config: Config) -> Listing:
    """Falcon, old (multi_query or not) and new_decoder_architecture, whose heads are grouped."""
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    inner = setting(config, "ffn_hidden_size", 4 * hidden, null=4 * hidden)
    is_new = flag(config, "new_decoder_architecture", False)
    if is_new:
        groups = setting(config, "num_kv_heads", heads, null=heads)
    else:
        groups = 1 if flag(config, "multi_query", True) else heads
    size, bias = hidden // heads, flag(config, "bias", False)
    norms = falcon_norms(config, is_new)

    def layer(model: Listing, at: str, _: int) -> None:
        model.linear(f"{at}.self_attention.query_key_value", (heads + groups + groups) * size,
                     hidden, bias)
        model.linear(f"{at}.self_attention.dense", hidden, heads * size, bias)
        model.keep(at, groups, size)
        model.linear(f"{at}.mlp.dense_h_to_4h", inner, hidden, bias)
        model.linear(f"{at}.mlp.dense_4h_to_h", hidden, inner, bias)
        for name in norms:
            model.norm(f"{at}.{name}", hidden, LAYER_NORM)

    return decoder(config, True, layer, LAYER_NORM)


# --- Encoders ---------------------------------------------------------------------------------


def encoder_layer(config: Config, model: Listing, at: str, in_bias: bool) -> None:
    """Lists a layer of BERT or ViT; what the norms are called does not matter here."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    for name in ("query", "key", "value"):
        model.linear(f"{at}.attention.{name}", hidden, hidden, in_bias)
    model.linear(f"{at}.attention.output.dense", hidden, hidden, bias=True)
    model.linear(f"{at}.intermediate.dense", inner, hidden, bias=True)
    model.linear(f"{at}.output.dense", hidden, inner, bias=True)
    model.norm(f"{at}.attention_norm", hidden, LAYER_NORM)
    model.norm(f"{at}.mlp_norm", hidden, LAYER_NORM)


def bert(config: Config) -> Listing:
    """BERT with its pooler and no head, whatever architectures says."""
    hidden = config["hidden_size"]
    model = Listing(layers=config["num_hidden_layers"])
    model.add("embeddings.word_embeddings.weight", config["vocab_size"], hidden)
    model.add("embeddings.position_embeddings.weight",
              setting(config, "max_position_embeddings", 512), hidden)
    model.add("embeddings.token_type_embeddings.weight",
              setting(config, "type_vocab_size", 2), hidden)
    model.norm("embeddings.LayerNorm", hidden, LAYER_NORM)
    for i in range(config["num_hidden_layers"]):
        encoder_layer(config, model, f"encoder.layer.{i}", in_bias=True)
    model.linear("pooler.dense", hidden, hidden, bias=True)
    return model


def both_sides(value: int | list[int]) -> tuple[int, int]:
    """Height and width of a size that may be given as a single number."""
    return (value, value) if isinstance(value, int) else (value[0], value[1])


def vit(config: Config) -> Listing:
    """ViT with its classifier and no pooler; id2label tells the number of classes."""
    hidden = config["hidden_size"]
    height, width = both_sides(setting(config, "image_size", 224))
    patch_height, patch_width = both_sides(setting(config, "patch_size", 16))
    patches = (height // patch_height) * (width // patch_width)
    if config.get("id2label") is not None:
        classes = len(config["id2label"])
    else:
        classes = setting(config, "num_labels", 2, null=2)
    model = Listing(layers=config["num_hidden_layers"])
    model.add("embeddings.cls_token", 1, 1, hidden)
    model.add("embeddings.position_embeddings", 1, patches + 1, hidden)
    model.add("embeddings.patch_embeddings.projection.weight", hidden,
              setting(config, "num_channels", 3), patch_height, patch_width)
    model.add("embeddings.patch_embeddings.projection.bias", hidden)
    for i in range(config["num_hidden_layers"]):
        encoder_layer(config, model, f"encoder.layer.{i}", flag(config, "qkv_bias", True))
    model.norm("layernorm", hidden, LAYER_NORM)
    if classes > 0:
        model.linear("classifier", classes, hidden, bias=True)
    return model


# --- Counts -----------------------------------------------------------------------------------

FAMILIES: dict[str, Callable[[Config], Listing]] = {
    family.__name__: family
    for family in (llama, mistral, mixtral, qwen2, qwen3, qwen2_moe, qwen3_moe, gemma, gemma2,
                   phi, phi3, deepseek_v2, deepseek_v3, gpt_oss, gpt2, gpt_neox, opt, falcon,
                   bert, vit)
}

EXPERT = re.compile(r"\.experts\.(\d+)\.")


def listing(config: Config) -> Listing:
    """All tensors of a model."""
    family = FAMILIES.get(setting(config, "model_type"))
    if family is None:
        raise ValueError(f"unknown model_type '{config['model_type']}'")
    try:
        return family(config)
    except KeyError as key:
        raise ValueError(f"{key.args[0]} is missing") from None


def counts(config: Config) -> dict[str, int]:
    """Parameters, active parameters, cache elements a token over all layers, and layers."""
    model = listing(config)
    parameters = active = 0
    for name, shape in model.weights:
        size = math.prod(shape)
        parameters += size
        expert = EXPERT.search(name)
        if expert is None or int(expert[1]) < model.experts_per_token:
            active += size
    return {"parameters": parameters, "active_parameters": active,
            "cache_elements": sum(math.prod(shape) for _, shape in model.cache),
            "layers": model.layers}


# --- Drawn configs ----------------------------------------------------------------------------

ABSENT = object()  # a drawn value that leaves its key out


@dataclass
class Draw:
    """A config that is being drawn."""

    rng: random.Random
    config: Config = field(default_factory=dict)

    def put(self, key: str, *values: Any) -> Any:
        """Sets a key to one of the values, or leaves it out if ABSENT is drawn."""
        value = self.rng.choice(values)
        if value is not ABSENT:
            self.config[key] = value
        return value

    def sizes(self, layers: int = 96) -> tuple[int, int]:
        """Draws the usual sizes; returns the hidden size and the number of heads."""
        heads = self.rng.choice((1, 2, 3, 4, 6, 8, 12, 14, 16, 20, 24, 32, 40, 64, 71, 96, 128))
        size = self.rng.choice((2, 4, 16, 32, 64, 80, 96, 128))
        hidden = heads * size
        self.config["hidden_size"] = hidden
        self.config["num_attention_heads"] = heads
        self.config["num_hidden_layers"] = self.rng.choice((1, 2, 3, self.rng.randint(1, layers)))
        self.config["vocab_size"] = self.rng.choice((100, 32000, self.rng.randint(50, 260000)))
        return hidden, heads

    def inner(self, key: str = "intermediate_size") -> int:
        """Draws the width of a feed-forward network, round or not."""
        hidden = self.config.get("hidden_size", 64)
        self.config[key] = self.rng.choice((4 * hidden, 8 * hidden // 3 + 1,
                                            self.rng.randint(1, 5 * hidden)))
        return self.config[key]

    def grouped(self, missing: int | None, null: bool) -> None:
        """Draws the number of key and value heads, `missing` being what an absent key means."""
        heads = self.config["num_attention_heads"]
        values: list[Any] = [n for n in range(1, heads + 1) if heads % n == 0]
        others = [None] if null else []
        if missing is None or heads % missing == 0:
            others.append(ABSENT)
        self.put("num_key_value_heads", *(self.rng.choice((values, values, others or values))))

    def head_dim(self, *others: Any) -> None:
        """Draws the size of a head: free, hidden / heads, or one of `others`."""
        usual = self.config["hidden_size"] // self.config["num_attention_heads"]
        free = self.rng.choice((8, 32, 64, 128, 256))
        self.put("head_dim", usual, free, *others)

    def switch(self, key: str) -> None:
        """Draws a yes or a no, or leaves the key out."""
        self.put(key, True, False, ABSENT)

    def experts(self, number: str, active: str = "num_experts_per_tok",
                missing: tuple[int, int] | None = None) -> None:
        """Draws the number of experts and of active experts; `missing` has what absence means."""
        if missing is not None and self.rng.random() < 0.15:
            if self.rng.random() < 0.5:
                self.config[number] = missing[1] + self.rng.randint(0, 8)
            else:
                self.config[active] = self.rng.randint(1, missing[0])
            return
        experts = self.rng.choice((1, 2, 4, 8, 16, 60, self.rng.randint(1, 160)))
        self.config[number] = experts
        self.config[active] = self.rng.randint(1, min(experts, 16))


def draw_llama(draw: Draw) -> None:
    """Draws the keys of llama."""
    draw.sizes()
    draw.inner()
    draw.grouped(None, null=True)
    draw.head_dim(None, ABSENT)
    draw.switch("attention_bias")
    draw.switch("mlp_bias")


def draw_mistral(draw: Draw) -> None:
    """Draws the keys of mistral."""
    draw.sizes()
    draw.inner()
    draw.grouped(8, null=True)
    draw.head_dim(None, ABSENT)


def draw_mixtral(draw: Draw) -> None:
    """Draws the keys of mixtral."""
    draw.sizes(layers=60)
    draw.inner()
    draw.grouped(8, null=True)
    draw.head_dim(None, ABSENT, ABSENT)
    draw.experts("num_local_experts", missing=(8, 2))


def draw_qwen2(draw: Draw) -> None:
    """Draws the keys of qwen2."""
    draw.sizes()
    draw.inner()
    draw.grouped(32, null=True)
    if draw.rng.random() < 0.2:
        draw.head_dim(ABSENT)


def draw_qwen3(draw: Draw) -> None:
    """Draws the keys of qwen3."""
    draw.sizes()
    draw.inner()
    draw.grouped(32, null=True)
    draw.head_dim(ABSENT)
    draw.switch("attention_bias")


def draw_sparse_layers(draw: Draw) -> None:
    """Draws which layers have experts."""
    draw.put("decoder_sparse_step", 1, 1, 2, 3, ABSENT)
    layers = draw.config["num_hidden_layers"]
    some = sorted(draw.rng.sample(range(layers), draw.rng.randint(1, layers)))
    draw.put("mlp_only_layers", [], some, some[:1], None, ABSENT)


def draw_qwen2_moe(draw: Draw) -> None:
    """Draws the keys of qwen2_moe."""
    draw.sizes(layers=60)
    draw.inner()
    draw.grouped(16, null=False)
    draw.experts("num_experts", missing=(60, 4))
    draw.inner("moe_intermediate_size")
    draw.inner("shared_expert_intermediate_size")
    draw_sparse_layers(draw)
    draw.put("qkv_bias", True, False, ABSENT, ABSENT)


def draw_qwen3_moe(draw: Draw) -> None:
    """Draws the keys of qwen3_moe."""
    draw.sizes(layers=60)
    draw.inner()
    draw.grouped(4, null=False)
    draw.head_dim(ABSENT)
    draw.experts("num_experts", missing=(128, 8))
    draw.inner("moe_intermediate_size")
    draw_sparse_layers(draw)
    draw.switch("attention_bias")


def draw_gemma(draw: Draw) -> None:
    """Draws the keys of gemma and gemma2."""
    draw.sizes()
    draw.inner()
    draw.grouped(16 if draw.config["model_type"] == "gemma" else 4, null=False)
    draw.head_dim(ABSENT)
    draw.switch("attention_bias")


def draw_phi(draw: Draw) -> None:
    """Draws the keys of phi."""
    draw.sizes()
    draw.inner()
    draw.grouped(None, null=True)
    draw.switch("qk_layernorm")


def draw_phi3(draw: Draw) -> None:
    """Draws the keys of phi3."""
    draw.sizes()
    draw.inner()
    draw.grouped(None, null=True)
    draw.put("attention_bias", False, ABSENT)
    if draw.rng.random() < 0.2:
        draw.head_dim(ABSENT)


def draw_deepseek(draw: Draw) -> None:
    """Draws the keys of deepseek_v2 and deepseek_v3."""
    _, heads = draw.sizes(layers=64)
    is_third = draw.config["model_type"] == "deepseek_v3"
    draw.inner()
    draw.put("num_key_value_heads", heads, None, ABSENT)
    draw.put("q_lora_rank", None, None, 24, 512, 1536, ABSENT)
    draw.put("kv_lora_rank", 16, 256, 512, ABSENT)
    draw.put("qk_nope_head_dim", 32, 128, ABSENT)
    draw.put("qk_rope_head_dim", 16, 64, ABSENT)
    draw.put("v_head_dim", 32, 128, 192, ABSENT)
    draw.switch("attention_bias")
    draw.experts("n_routed_experts")
    if draw.rng.random() < 0.05:
        draw.config["n_routed_experts"] = None
    if is_third and (draw.config["n_routed_experts"] or 0) >= 8 and draw.rng.random() < 0.2:
        del draw.config["num_experts_per_tok"]
    draw.inner("moe_intermediate_size")
    draw.put("n_shared_experts", 1, 2, 3, None, *([ABSENT] if is_third else []))
    draw.put("first_k_dense_replace", 0, 1, 3, draw.rng.randint(0, 70), ABSENT)
    draw.put("moe_layer_freq", 1, 1, 2, ABSENT, ABSENT)
    if is_third:
        draw.put("topk_method", "noaux_tc", ABSENT)
        draw.put("num_nextn_predict_layers", 1, ABSENT)


def draw_gpt_oss(draw: Draw) -> None:
    """Draws the keys of gpt_oss."""
    draw.sizes(layers=60)
    draw.inner()
    draw.grouped(8, null=True)
    draw.head_dim(ABSENT)
    draw.experts("num_local_experts", missing=(128, 4))
    draw.switch("attention_bias")
    if draw.rng.random() < 0.5:
        kinds = ("sliding_attention", "full_attention")
        draw.config["layer_types"] = [kinds[i % 2]
                                      for i in range(draw.config["num_hidden_layers"])]


def draw_gpt2(draw: Draw) -> None:
    """Draws the keys of gpt2."""
    draw.sizes()
    for old, new in (("hidden_size", "n_embd"), ("num_attention_heads", "n_head"),
                     ("num_hidden_layers", "n_layer")):
        draw.config[new] = draw.config.pop(old)
    draw.put("n_positions", 64, 1024, 2048, 8192)
    draw.put("n_inner", draw.rng.randint(1, 20000), None, ABSENT)


def draw_gpt_neox(draw: Draw) -> None:
    """Draws the keys of gpt_neox."""
    draw.sizes()
    draw.inner()
    draw.switch("attention_bias")
    draw.switch("use_parallel_residual")


def draw_opt(draw: Draw) -> None:
    """Draws the keys of opt."""
    hidden, _ = draw.sizes()
    draw.inner("ffn_dim")
    draw.put("max_position_embeddings", 128, 2048)
    draw.put("word_embed_proj_dim", hidden, max(1, hidden // 2), 2 * hidden, None, ABSENT)
    draw.switch("do_layer_norm_before")
    draw.put("_remove_final_layer_norm", True, False, ABSENT, ABSENT)
    draw.put("enable_bias", True, False, ABSENT, ABSENT)
    draw.put("layer_norm_elementwise_affine", True, False, ABSENT, ABSENT)


def draw_falcon(draw: Draw) -> None:
    """Draws the keys of falcon."""
    _, heads = draw.sizes()
    is_new = draw.put("new_decoder_architecture", True, False, ABSENT)
    if is_new is True:
        draw.put("num_kv_heads", *(n for n in range(1, heads + 1) if heads % n == 0), None, ABSENT)
    else:
        draw.put("num_kv_heads", heads, None, ABSENT)
    draw.switch("multi_query")
    draw.switch("parallel_attn")
    draw.switch("bias")
    draw.switch("alibi")
    draw.put("num_ln_in_parallel_attn", 1, 2, None, ABSENT, ABSENT)
    if draw.rng.random() < 0.3:
        draw.inner("ffn_hidden_size")
    else:
        draw.put("ffn_hidden_size", None, ABSENT, ABSENT)


def draw_bert(draw: Draw) -> None:
    """Draws the keys of bert."""
    draw.sizes()
    draw.inner()
    draw.put("max_position_embeddings", 64, 512, 8192, ABSENT)
    draw.put("type_vocab_size", 1, 2, 16, ABSENT)


def draw_vit(draw: Draw) -> None:
    """Draws the keys of vit."""
    draw.sizes()
    del draw.config["vocab_size"]
    draw.inner()
    draw.put("image_size", 32, 224, 384, 225, ABSENT)
    draw.put("patch_size", 4, 14, 16, 32, ABSENT)
    draw.put("num_channels", 1, 3, ABSENT)
    draw.switch("qkv_bias")
    if draw.rng.random() < 0.7:
        classes = draw.rng.choice((1, 2, 10, 100))
        draw.config["id2label"] = {str(i): f"LABEL_{i}" for i in range(classes)}


DRAWS: dict[str, Callable[[Draw], None]] = {
    "llama": draw_llama, "mistral": draw_mistral, "mixtral": draw_mixtral, "qwen2": draw_qwen2,
    "qwen3": draw_qwen3, "qwen2_moe": draw_qwen2_moe, "qwen3_moe": draw_qwen3_moe,
    "gemma": draw_gemma, "gemma2": draw_gemma, "phi": draw_phi, "phi3": draw_phi3,
    "deepseek_v2": draw_deepseek, "deepseek_v3": draw_deepseek, "gpt_oss": draw_gpt_oss,
    "gpt2": draw_gpt2, "gpt_neox": draw_gpt_neox, "opt": draw_opt, "falcon": draw_falcon,
    "bert": draw_bert, "vit": draw_vit,
}

# Keys of published files that no count depends on.
ORNAMENTS: tuple[tuple[str, Any], ...] = (
    ("torch_dtype", "bfloat16"), ("use_cache", True), ("initializer_range", 0.02),
    ("rope_scaling", None), ("sliding_window", None), ("rope_theta", 10000.0),
    ("transformers_version", "4.51.0"), ("attention_dropout", 0.0), ("bos_token_id", 1),
    ("eos_token_id", [1, 2]), ("quantization_config", {"quant_method": "fp8"}),
)


def random_config(seed: int) -> Config:
    """A valid config of some family; the same seed draws the same config on every machine."""
    rng = random.Random(seed)
    family = rng.choice(sorted(DRAWS))
    draw = Draw(rng, {"model_type": family})
    DRAWS[family](draw)
    if family not in ("bert", "vit"):
        draw.put("tie_word_embeddings", True, False, ABSENT, ABSENT)
    for key, value in rng.sample(ORNAMENTS, rng.randint(0, len(ORNAMENTS))):
        draw.config[key] = value
    keys = list(draw.config)
    rng.shuffle(keys)
    return {key: draw.config[key] for key in keys}


# --- Command line -----------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", metavar="CONFIG.json", type=Path, nargs="+")
    paths = parser.parse_args().configs
    width = max(len(path.stem) for path in paths)
    print(f"{'config':{width}} {'parameters':>17} {'active':>17} {'cache/token':>11} {'layers':>6}")
    for path in paths:
        found = counts(json.loads(path.read_text(encoding="utf-8")))
        print(f"{path.stem:{width}} {found['parameters']:>17,} {found['active_parameters']:>17,} "
              f"{found['cache_elements']:>11,} {found['layers']:>6}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
