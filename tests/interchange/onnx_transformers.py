"""Blocks of transformers as PyTorch exports them, written node by node.

gpt2(), llama(), bert(), mixtral() answer models; sizes have names where `symbols` are asked for.
LayerNorm is nine nodes, GELU eight (tanh) or five (erf), SiLU two, RMSNorm six, rotary embeddings eight
a tensor; grouped heads are repeated by Expand.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from example_onnx import BOOL, INT64, Model, tensor  # noqa: E402


class Transformer(Model):
    """A model with the parts of transformers."""

    def layer_norm(self, name: str, x: str, features: int) -> str:
        mean = self.add("ReduceMean", [x], axes=[-1])
        moved = self.add("Sub", [x, mean])
        squares = self.add("Pow", [moved, self.constant(2.0)])
        variance = self.add("ReduceMean", [squares], axes=[-1])
        root = self.add("Sqrt", [self.add("Add", [variance, self.constant(1e-5)])])
        scaled = self.add("Mul", [self.add("Div", [moved, root]),
                                  self.weight(f"{name}.weight", features)])
        return self.add("Add", [scaled, self.weight(f"{name}.bias", features)])

    def rms_norm(self, name: str, x: str, features: int) -> str:
        """Llama's: in fp32, so with casts around."""
        wide = self.add("Cast", [x], to=1)
        squares = self.add("Pow", [wide, self.constant(2.0)])
        mean = self.add("ReduceMean", [squares], axes=[-1])
        root = self.add("Sqrt", [self.add("Add", [mean, self.constant(1e-6)])])
        scale = self.add("Div", [self.constant(1.0), root])
        scaled = self.add("Cast", [self.add("Mul", [wide, scale])], to=1)
        return self.add("Mul", [self.weight(f"{name}.weight", features), scaled])

    def gelu_tanh(self, x: str) -> str:
        half = self.add("Mul", [x, self.constant(0.5)])
        cube = self.add("Mul", [self.add("Pow", [x, self.constant(3.0)]), self.constant(0.044715)])
        inner = self.add("Mul", [self.add("Add", [x, cube]), self.constant(0.7978845608)])
        return self.add("Mul", [half, self.add("Add", [self.add("Tanh", [inner]),
                                                       self.constant(1.0)])])

    def gelu_erf(self, x: str) -> str:
        erf = self.add("Erf", [self.add("Div", [x, self.constant(1.4142135)])])
        made = self.add("Mul", [x, self.add("Add", [erf, self.constant(1.0)])])
        return self.add("Mul", [made, self.constant(0.5)])

    def silu(self, x: str) -> str:
        return self.add("Mul", [x, self.add("Sigmoid", [x])])

    def rotary(self, x: str, cos: str, sin: str, size: int) -> str:
        def part(begin: int, end: int) -> str:
            return self.add("Slice", [x, self.constant([begin]), self.constant([end]),
                                      self.constant([3]), self.constant([1])])
        turned = self.add("Concat", [self.add("Neg", [part(size // 2, 1 << 62)]),
                                     part(0, size // 2)], axis=-1)
        return self.add("Add", [self.add("Mul", [x, cos]), self.add("Mul", [turned, sin])])

    def size(self, x: str, place: int) -> str:
        """A size of a value, as an exporter asks for it."""
        number = self.add("Gather", [self.add("Shape", [x]), self.constant(place)])
        return self.add("Unsqueeze", [number, self.constant([0])])

    def heads(self, x: str, heads: int, size: int) -> str:
        """[N, S, H] becomes [N, heads, S, size]; N and S are asked of the value."""
        shape = self.add("Concat", [self.size(x, 0), self.size(x, 1), self.constant([heads]),
                                    self.constant([size])], axis=0)
        return self.add("Transpose", [self.add("Reshape", [x, shape])], perm=[0, 2, 1, 3])

    def merged(self, x: str, features: int) -> str:
        turned = self.add("Transpose", [x], perm=[0, 2, 1, 3])
        shape = self.add("Concat", [self.size(turned, 0), self.size(turned, 1),
                                    self.constant([features])], axis=0)
        return self.add("Reshape", [turned, shape])

    def flat_gemm(self, name: str, x: str, out: int, inside: int) -> str:
        """GPT-2's Conv1D: rows of all tokens in one matrix."""
        flat = self.add("Reshape", [x, self.constant([-1, inside])])
        made = self.add("Gemm", [flat, self.weight(f"{name}.weight", inside, out),
                                 self.weight(f"{name}.bias", out)], f"/{name}/Gemm")
        shape = self.add("Concat", [self.size(x, 0), self.size(x, 1), self.constant([out])], axis=0)
        return self.add("Reshape", [made, shape])


def gpt2_block(model: Transformer, name: str, x: str, hidden: int, heads: int, mask: str) -> str:
    size = hidden // heads
    read = model.layer_norm(f"{name}.ln_1", x, hidden)
    packed = model.flat_gemm(f"{name}.c_attn", read, 3 * hidden, hidden)
    model.add("Split", [packed, model.constant([hidden] * 3)], f"/{name}/Split",
              [f"{name}.q", f"{name}.k", f"{name}.v"], axis=2)
    q, k, v = (model.heads(f"{name}.{part}", heads, size) for part in "qkv")
    scores = model.add("MatMul", [q, model.add("Transpose", [k], perm=[0, 1, 3, 2])])
    scores = model.add("Div", [scores, model.constant(float(size) ** 0.5)])
    scores = model.add("Where", [mask, scores, model.constant(-1e9)])
    made = model.add("MatMul", [model.add("Softmax", [scores], axis=-1), v], f"/{name}/MatMul")
    made = model.flat_gemm(f"{name}.c_proj", model.merged(made, hidden), hidden, hidden)
    middle = model.add("Add", [made, x])
    read = model.layer_norm(f"{name}.ln_2", middle, hidden)
    inner = model.gelu_tanh(model.flat_gemm(f"{name}.c_fc", read, 4 * hidden, hidden))
    return model.add("Add", [middle, model.flat_gemm(f"{name}.mlp", inner, hidden, 4 * hidden)])


def gpt2(layers: int = 2, hidden: int = 768, heads: int = 12, tokens: int = 1024,
         vocabulary: int = 0, symbols: bool = False) -> Transformer:
    model = Transformer("gpt2", 14)
    sizes: list[int | str] = ["batch", "seq"] if symbols else [1, tokens]
    if vocabulary:
        ids = model.input("input_ids", sizes, INT64)
        x = model.add("Gather", [model.weight("wte", vocabulary, hidden), ids])
        places = model.add("Unsqueeze", [
            model.add("Range", [model.constant(0), model.add("Gather", [
                model.add("Shape", [ids]), model.constant(1)]), model.constant(1)]),
            model.constant([0])])
        x = model.add("Add", [x, model.add("Gather", [model.weight("wpe", 1024, hidden), places])])
    else:
        x = model.input("x", [*sizes, hidden])
    model.initializers.append(tensor("mask", (1, 1, tokens, tokens), BOOL))
    for layer in range(layers):
        x = gpt2_block(model, f"h.{layer}", x, hidden, heads, "mask")
    if vocabulary:
        turned = model.add("Transpose", ["wte"], perm=[1, 0])
        x = model.add("MatMul", [model.layer_norm("ln_f", x, hidden), turned], "/lm_head/MatMul")
    model.output(x)
    return model


def llama_attention(model: Transformer, name: str, read: str, sizes: tuple[int, int, int, int],
                    mask: str, head_norm: bool = False) -> str:
    hidden, heads, groups, size = sizes
    q = model.linear(f"{name}.q_proj", read, heads * size, hidden, False)
    k = model.linear(f"{name}.k_proj", read, groups * size, hidden, False)
    v = model.linear(f"{name}.v_proj", read, groups * size, hidden, False)
    q, k, v = model.heads(q, heads, size), model.heads(k, groups, size), model.heads(v, groups, size)
    if head_norm:
        q = model.rms_norm(f"{name}.q_norm", q, size)
        k = model.rms_norm(f"{name}.k_norm", k, size)
    q, k = (model.rotary(x, "cos", "sin", size) for x in (q, k))
    if groups < heads:
        k, v = (repeated(model, x, heads // groups) for x in (k, v))
    scores = model.add("MatMul", [q, model.add("Transpose", [k], perm=[0, 1, 3, 2])])
    scores = model.add("Mul", [scores, model.constant(float(size) ** -0.5)])
    scores = model.add("Add", [scores, mask])
    made = model.add("MatMul", [model.add("Softmax", [scores], axis=-1), v], f"/{name}/MatMul")
    return model.linear(f"{name}.o_proj", model.merged(made, heads * size), hidden, heads * size,
                        False)


def repeated(model: Transformer, x: str, times: int) -> str:
    """Grouped heads: [N, g, S, d] becomes [N, g · times, S, d]."""
    shape = model.add("Shape", [x])

    def of(begin: int, end: int) -> str:
        return model.add("Slice", [shape, model.constant([begin]), model.constant([end])])
    wide = model.add("Concat", [of(0, 2), model.constant([times]), of(2, 4)], axis=0)
    made = model.add("Expand", [model.add("Unsqueeze", [x, model.constant([2])]), wide])
    merged = model.add("Concat", [of(0, 1), model.add("Mul", [of(1, 2), model.constant([times])]),
                                  of(2, 4)], axis=0)
    return model.add("Reshape", [made, merged])


def gated(model: Transformer, name: str, read: str, hidden: int, inner: int) -> str:
    gate = model.silu(model.linear(f"{name}.gate_proj", read, inner, hidden, False))
    up = model.linear(f"{name}.up_proj", read, inner, hidden, False)
    return model.linear(f"{name}.down_proj", model.add("Mul", [gate, up]), hidden, inner, False)


def experts(model: Transformer, name: str, read: str, hidden: int, inner: int, count: int,
            active: int) -> str:
    """Every expert works on every token; what was not chosen is weighted by 0."""
    logits = model.linear(f"{name}.gate", read, count, hidden, False)
    weights = model.add("Softmax", [logits], axis=-1)
    model.add("TopK", [weights, model.constant([active])], f"/{name}/TopK",
              [f"{name}.top", f"{name}.which"], axis=-1)
    total = model.add("ReduceSum", [f"{name}.top", model.constant([-1])])
    shares = model.add("Div", [f"{name}.top", total])
    zeros = model.add("Mul", [weights, model.constant(0.0)])
    shares = model.add("ScatterElements", [zeros, f"{name}.which", shares], axis=-1)
    made = ""
    for expert in range(count):
        share = model.add("Slice", [shares, model.constant([expert]), model.constant([expert + 1]),
                                    model.constant([-1])])
        part = model.add("Mul", [gated(model, f"{name}.{expert}", read, hidden, inner), share])
        made = model.add("Add", [made, part]) if made else part
    return made


def llama(layers: int = 1, hidden: int = 4096, heads: int = 32, groups: int = 8,
          inner: int = 14336, tokens: int = 8192, head_size: int = 0, head_norm: bool = False,
          mixture: tuple[int, int] | None = None, batch: int = 1) -> Transformer:
    model = Transformer("llama")
    size = head_size or hidden // heads
    x = model.input("x", [batch, tokens, hidden])
    model.input("mask", [batch, 1, tokens, tokens])
    for name in ("cos", "sin"):
        model.input(name, [batch, 1, tokens, size])
    for layer in range(layers):
        name = f"layers.{layer}"
        read = model.rms_norm(f"{name}.input_layernorm", x, hidden)
        made = llama_attention(model, name, read, (hidden, heads, groups, size), "mask", head_norm)
        middle = model.add("Add", [x, made])
        read = model.rms_norm(f"{name}.post_attention_layernorm", middle, hidden)
        if mixture:
            made = experts(model, f"{name}.moe", read, hidden, inner, *mixture)
        else:
            made = gated(model, f"{name}.mlp", read, hidden, inner)
        x = model.add("Add", [middle, made])
    model.output(x)
    return model


def bert(layers: int = 2, hidden: int = 128, heads: int = 2, tokens: int = 64,
         vocabulary: int = 1000) -> Transformer:
    """Normalised behind each sum; the mask is made of an input."""
    model = Transformer("bert", 14)
    ids = model.input("input_ids", ["batch", "seq"], INT64)
    types = model.input("token_type_ids", ["batch", "seq"], INT64)
    mask = model.input("attention_mask", ["batch", "seq"], INT64)
    x = model.add("Gather", [model.weight("words", vocabulary, hidden), ids])
    x = model.add("Add", [x, model.add("Gather", [model.weight("types", 2, hidden), types])])
    places = model.add("Slice", [
        model.add("Constant", [], value=tensor("", (1, 512), INT64, list(range(512)))),
        model.constant([0]), model.size(ids, 1), model.constant([1])])
    x = model.add("Add", [x, model.add("Gather", [model.weight("positions", 512, hidden), places])])
    x = model.layer_norm("embeddings.norm", x, hidden)
    mask = model.add("Unsqueeze", [mask, model.constant([1, 2])])
    mask = model.add("Mul", [model.add("Sub", [model.constant(1.0), model.add("Cast", [mask], to=1)]),
                             model.constant(-1e9)])
    size = hidden // heads
    for layer in range(layers):
        name = f"layer.{layer}"
        q, k, v = (model.heads(model.linear(f"{name}.{part}", x, hidden, hidden), heads, size)
                   for part in ("query", "key", "value"))
        scores = model.add("MatMul", [q, model.add("Transpose", [k], perm=[0, 1, 3, 2])])
        scores = model.add("Add", [model.add("Div", [scores, model.constant(8.0)]), mask])
        made = model.add("MatMul", [model.add("Softmax", [scores], axis=-1), v])
        made = model.linear(f"{name}.output", model.merged(made, hidden), hidden, hidden)
        x = model.layer_norm(f"{name}.norm_1", model.add("Add", [made, x]), hidden)
        inner = model.gelu_erf(model.linear(f"{name}.inner", x, 4 * hidden, hidden))
        made = model.linear(f"{name}.outer", inner, hidden, 4 * hidden)
        x = model.layer_norm(f"{name}.norm_2", model.add("Add", [made, x]), hidden)
    model.output(x)
    return model


def gpt_j(layers: int = 1, hidden: int = 256, heads: int = 4, tokens: int = 64) -> Transformer:
    """Attention and feed-forward network side by side, behind one normalisation."""
    model = Transformer("gpt_j")
    x = model.input("x", [1, tokens, hidden])
    size = hidden // heads
    for layer in range(layers):
        name = f"h.{layer}"
        read = model.layer_norm(f"{name}.ln_1", x, hidden)
        q, k, v = (model.heads(model.linear(f"{name}.{part}", read, hidden, hidden, False), heads,
                               size) for part in "qkv")
        scores = model.add("MatMul", [q, model.add("Transpose", [k], perm=[0, 1, 3, 2])])
        made = model.add("MatMul", [model.add("Softmax", [scores], axis=-1), v])
        made = model.linear(f"{name}.out", model.merged(made, hidden), hidden, hidden, False)
        inner = model.gelu_tanh(model.linear(f"{name}.fc_in", read, 4 * hidden, hidden))
        network = model.linear(f"{name}.fc_out", inner, hidden, 4 * hidden)
        x = model.add("Add", [model.add("Add", [made, network]), x])
    model.output(x)
    return model
