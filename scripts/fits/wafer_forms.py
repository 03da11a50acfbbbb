"""The closed forms of measured programs, written once more, apart from kernels/operators, so that
each checks the other (scripts/fit_wafer.py --check).

A form gives the cycles of a row as counts of figures of programs: cycles = fixed + sum of count ·
figure. Which program has which figures of its own, PROGRAMS says; the others are those of the
program that it is like.
"""

BYTES = {"fp16": 2, "fp32": 4}
HOP_CYCLES = {"WSE-2": 1.0, "WSE-3": 2.0}
RAMP_CYCLES = 2.0
CLOCK_HZ = 1.1e9  # of rates in seconds
# A machine's programs by data type: what each is like, the figures that are fitted on its rows, and
# those that are what they are.
PROGRAMS = {
    ("WSE-3", "fp16"): {
        "waferllm": (None, ("start", "phase", "exchange", "chain_stage", "reduced_word", "update",
                            "vector", "issue", "step"), {"lanes": 4, "exponential": 0}),
        "waferllm_unpacked": ("waferllm", ("exchange",), {}),
        "waferllm_decode": ("waferllm", ("issue",), {}),
        "waferllm_prefill": ("waferllm", ("exchange", "issue"), {"exponential": 20}),
        "summa_4colour": ("waferllm", ("phase",), {}),
        "collectives_2d": ("waferllm", ("phase", "vector"), {"update": 0}),
        "relay": ("waferllm", ("relay", "relay_word"), {}),
    },
    ("WSE-2", "fp32"): {
        "collectives_2d": (None, ("start", "phase", "update", "vector", "issue"), {"lanes": 1}),
    },
    ("WSE-2", "fp16"): {
        "waferllm": (None, ("issue", "step"), {"lanes": 1, "exponential": 0}),
        "waferllm_decode": ("waferllm", (), {}),
        "waferllm_prefill": ("waferllm", ("exchange",), {"exponential": 20}),
    },
}
PEAK = {("WSE-3", "fp16"): 8, ("WSE-2", "fp16"): 4, ("WSE-2", "fp32"): 1}  # multiply-adds a cycle


def parts(extent: int, ways: int) -> int:
    return -(-extent // ways)


class Program:
    """A program on a machine, for numbers of a data type: it counts what it does."""

    def __init__(self, machine: str, data_type: str, name: str) -> None:
        self.machine, self.data_type, self.name = machine, data_type, name
        self.table = PROGRAMS[machine, data_type]
        self.hop = HOP_CYCLES[machine]
        self.fixed = 0.0
        self.terms: dict[tuple[str, str], float] = {}
        self.lanes = self.of_itself("lanes")

    def of_itself(self, figure: str) -> float:
        """A figure that is not fitted."""
        name = self.name
        while name:
            like, _, known = self.table[name]
            if figure in known:
                return known[figure]
            name = like
        raise KeyError(figure)

    def owner(self, figure: str) -> str | None:
        """The program whose figure holds; none for one that is what it is."""
        name = self.name
        while True:
            like, fitted, known = self.table[name]
            if figure in known:
                self.fixed_figure = known[figure]
                return None
            if figure in fitted or like is None:
                return name
            name = like

    def add(self, fixed: float = 0, **counts: float) -> None:
        self.fixed += fixed
        for figure, count in counts.items():
            owner = self.owner(figure)
            if owner is None:
                self.fixed += count * self.fixed_figure
            else:
                key = (owner, figure)
                self.terms[key] = self.terms.get(key, 0.0) + count

    def scale(self, times: float) -> None:
        self.fixed *= times
        self.terms = {key: times * count for key, count in self.terms.items()}

    def total(self, figures: dict[tuple[str, str], float]) -> float:
        return self.fixed + sum(count * figures[key] for key, count in self.terms.items())

    def words(self, elements: int) -> int:
        return parts(elements * BYTES[self.data_type], 4)

    def way(self, hops: float) -> float:
        return hops * self.hop + 2 * RAMP_CYCLES

    def vectors(self, count: float, elements: int) -> None:
        self.add(vector=count, issue=count * parts(elements, self.lanes))

    def exponentials(self, count: int, elements: int) -> None:
        self.vectors(3 * count, elements)
        self.add(exponential=count * elements)

    def product(self, times: int, m: int, k: int, n: int) -> None:
        """Rank-one updates of a block, so many times."""
        self.add(update=times * k)
        self.vectors(times * k * n, m)


# ---- collectives ---------------------------------------------------------------------------------

def two_way(tiles: int, groups: int) -> dict[str, int]:
    """A two-way chain in so many groups; 0: in those with the fewest stages."""
    def shape(wanted: int) -> dict[str, int]:
        size = parts(tiles, wanted)
        count = parts(tiles, size)
        root = min(count // 2 * size + size // 2, tiles - 1)
        stages = max(size // 2, size - 1 - size // 2) + max(count // 2, count - 1 - count // 2)
        return {"size": size, "groups": count, "stages": stages,
                "back": max(root, tiles - 1 - root)}

    if groups:
        return shape(min(groups, tiles))
    wanted = [1] + [count for count in range(2, tiles + 1) if count * count <= 4 * tiles]
    return min((shape(count) for count in wanted), key=lambda found: found["stages"])


def taken_in(begins: list[float], block: int) -> float:
    """When a tile that takes in a word a cycle has all streams that begin by then."""
    return max((begin + block * (len(begins) - at) for at, begin in enumerate(sorted(begins))),
               default=0.0)


def moving(found: dict[str, int], tiles: int, block: int, hop: float) -> float:
    """Chains from both ends of each group to its middle, of the roots likewise, and back. The last
    group may be smaller, and done before."""
    size, groups = found["size"], found["groups"]
    adding = 2 * RAMP_CYCLES + 1

    def inside(left: int, right: int) -> float:
        return taken_in([length * (adding + hop) for length in (left, right) if length > 0], block)

    last = tiles - (groups - 1) * size
    last_root = min(size // 2, last - 1)
    full = inside(size // 2, size - 1 - size // 2)
    smaller = inside(last_root, last - 1 - last_root)
    left, right = groups // 2, groups - 1 - groups // 2
    far = adding + size * hop
    begins = [full + left * far] if left > 0 else []
    if right > 0:
        begins.append(max(smaller + right * far - (size // 2 - last_root) * hop,
                          full + (right - 1) * far))
    return max(full, taken_in(begins, block)) + adding + found["back"] * hop + block


def all_reduce(program: Program, tiles: int, elements: int, groups: int = 0) -> None:
    found = two_way(tiles, groups)
    block = program.words(elements)
    program.add(moving(found, tiles, block, program.hop), start=1, phase=3,
                chain_stage=found["stages"], reduced_word=block)


# ---- operators -----------------------------------------------------------------------------------

def meshgemm(program: Program, side: int, m: int, k: int, n: int, aligns: bool = True) -> None:
    program.add(start=1)
    program.product(side, m, k, n)
    alignments = side // 2 if aligns else 0
    moved = program.words(m * k) + program.words(k * n) + program.way(2)
    if k * (30 + n) < moved:
        raise ValueError("words may not be hidden behind products: not linear")
    program.add(alignments * (program.words(m * k) + program.way(2)),
                exchange=2 * side + alignments)


def summa(program: Program, side: int, m: int, k: int, n: int, ahead: bool) -> None:
    """Both broadcasts of a step are one phase. Ahead: words are hidden behind products, and the
    first step's are left."""
    program.add(start=1, phase=side)
    program.product(side, m, k, n)
    moved = program.words(m * k) + program.words(k * n)
    if ahead:
        program.add(moved + program.way(0))
    else:
        program.add(side * (moved + program.way(0))
                    + max(2 * side - 1, 4 * side - 8) * program.hop)


def gemv(program: Program, side: int, rows: int, columns: int, groups: int) -> None:
    all_reduce(program, side, columns, groups)
    program.vectors(rows, columns)


def gemv_chain(program: Program, side: int, rows: int, columns: int) -> None:
    """Sums of 32 bits along a chain of the whole column, then a broadcast."""
    program.vectors(rows, columns)
    stages = side - 1
    program.add(stages * (program.hop + 2 * RAMP_CYCLES + 1) + columns
                + 2 * RAMP_CYCLES + 1 + stages * program.hop + columns,
                start=1, phase=2, chain_stage=stages, reduced_word=columns)


def shift(program: Program, elements: int, distance: int) -> None:
    block = program.words(elements)
    program.add(distance * (block + program.way(1)), start=1, relay=distance,
                relay_word=distance * block)


def decode_layer(program: Program, side: int, dim: int, seq: int, ffn: int, groups: int,
                 activated: int) -> None:
    hidden, tokens, inner = parts(dim, side), parts(seq, side), parts(ffn, side)

    def reduced(elements: int) -> None:
        all_reduce(program, side, elements, groups)
        program.add(step=1)

    def element_wise(elements: int, operations: int) -> None:
        program.add(start=1, step=1)
        program.vectors(operations, elements)

    for _ in range(2):
        program.vectors(2, hidden)
        reduced(1)
    program.vectors(hidden, parts(3 * dim, side))
    reduced(parts(3 * dim, side))
    program.vectors(tokens, hidden)
    reduced(tokens)
    program.vectors(3, tokens)
    program.exponentials(1, tokens)
    reduced(1)
    reduced(1)
    program.vectors(tokens, hidden)
    reduced(hidden)
    for rows, columns in ((hidden, hidden), (hidden, parts(2 * ffn, side)), (inner, hidden)):
        program.vectors(rows, columns)
        reduced(columns)
    element_wise(parts(activated, side), 3)
    program.exponentials(1, parts(activated, side))
    for _ in range(2):
        element_wise(parts(dim, side * side), 1)


def scores(program: Program, side: int, m: int, k: int, n: int) -> None:
    """In each step keys move on, and products are added up along the row."""
    sums = program.words(m * n)
    program.product(side, m, k, n)
    program.add(side * sums + (side - 1) * (program.way(1) + 1), start=1, exchange=side,
                phase=side, reduced_word=side * sums)


def prefill_layer(program: Program, side: int, tokens: int, dim: int, ffn: int) -> None:
    own, hidden, inner = parts(tokens, side), parts(dim, side), parts(ffn, side)
    for _ in range(2):
        program.vectors(2 * own, hidden)
        all_reduce(program, side, own)
        program.add(start=1)
        program.vectors(1, parts(tokens * dim, side * side))
        program.add(step=2)
    # Query, key and value, of which the first aligns; values; output; up and gate; down.
    for k, n, aligns in ((hidden, hidden, True), (hidden, hidden, False), (hidden, hidden, False),
                         (own, hidden, True), (hidden, hidden, True), (hidden, inner, True),
                         (hidden, inner, False), (inner, hidden, True)):
        meshgemm(program, side, own, k, n, aligns)
        program.add(step=1)
    scores(program, side, own, hidden, own)
    program.vectors(3 * own, own)
    program.exponentials(own, own)
    all_reduce(program, side, own)
    all_reduce(program, side, own)
    program.add(step=3)
    program.add(start=1, step=1)
    program.vectors(3, own * inner)
    program.exponentials(1, own * inner)


def ends(program: Program, side: int, dim: int, vocabulary: int) -> None:
    """Embedding and head of a token."""
    own = parts(dim, side)
    block = program.words(own)
    program.add((side - 1) * program.hop + 2 * RAMP_CYCLES + block, start=1, phase=1, step=1)
    program.vectors(own, parts(vocabulary, side))
    all_reduce(program, side, parts(vocabulary, side))
    all_reduce(program, side, 1)
    program.add(step=2)


# ---- rows ----------------------------------------------------------------------------------------

def of_tile(operator, *more):
    """A form of the blocks of a tile on a square."""
    return lambda program, settings: operator(program, settings["P"], *settings["tile"], *more)


def decode_row(program: Program, settings: dict) -> None:
    decode_layer(program, settings["P"], settings["dim"], settings["seq"], settings["ffn"],
                 settings["allreduce_groups"], settings["dim"])


def prefill_row(program: Program, settings: dict) -> None:
    prefill_layer(program, settings["P"], settings["input_tokens"], settings["dim"],
                  settings["ffn"])


def model_row(program: Program, settings: dict) -> None:
    """All layers of a model, and its ends, which decode has."""
    side = settings["mesh"][0]
    if settings["phase"] == "decode":
        decode_layer(program, side, settings["dim"], settings["context_tokens"], settings["ffn"], 0,
                     settings["ffn"])
    else:
        prefill_layer(program, side, settings["input_tokens"], settings["dim"], settings["ffn"])
    program.scale(settings["layers"])
    last = Program(program.machine, program.data_type, "waferllm_decode")
    ends(last, side, settings["dim"], settings["vocab"])
    program.fixed += last.fixed
    for key, count in last.terms.items():
        program.terms[key] = program.terms.get(key, 0.0) + count


def gemv_row(program: Program, settings: dict) -> None:
    gemv(program, settings["P"], *settings["tile"], settings["groups"])


# By procedure, or by procedure and phase: the kind, the program and the form.
PROCEDURES = {
    "meshgemm_wse3": ("meshgemm", "waferllm", of_tile(meshgemm)),
    "meshgemm_wse3_unpacked": ("meshgemm unpacked", "waferllm_unpacked", of_tile(meshgemm)),
    "meshgemv_wse3": ("meshgemv", "waferllm", gemv_row),
    "shift_wse3": ("shift", "relay", lambda program, settings: shift(
        program, settings["elements_per_pe"], settings["distance_columns"])),
    "summa_4colour_wse3": ("summa 4 colours", "summa_4colour", of_tile(summa, True)),
    "summa_collectives2d_fp16_wse3": ("summa collectives_2d", "collectives_2d",
                                      of_tile(summa, False)),
    "gemv_pipeline_allreduce_wse3": ("gemv chain", "collectives_2d", of_tile(gemv_chain)),
    "waferllm_decode_wse3": ("decode layer", "waferllm_decode", decode_row),
    "waferllm_prefill_wse3": ("prefill layer", "waferllm_prefill", prefill_row),
    "summa_wse2": ("summa", "collectives_2d", of_tile(summa, False)),
    "waferllm_tables/decode": ("decode", "waferllm_decode", model_row),
    "waferllm_tables/prefill": ("prefill", "waferllm_prefill", model_row),
}


def procedure_of(row: dict) -> str:
    name, settings = row.get("procedure", ""), row.get("settings", {})
    if name == "waferllm_tables" and settings.get("system") == "WaferLLM" and "phase" in settings:
        return f"{name}/{settings['phase']}"
    return name


def measured_cycles(row: dict) -> float | None:
    """Nothing where it is not a time."""
    value, settings = row.get("value"), row.get("settings", {})
    if not isinstance(value, (int, float)):
        return None
    if row["unit"] == "cycles":
        return value
    if row["unit"] == "tokens/s per request" and "phase" in settings:
        tokens = settings["input_tokens"] if settings["phase"] == "prefill" else 1
        return tokens * CLOCK_HZ / value
    clock = settings.get("clock_ghz_assumed_by_authors")
    return value * clock * 1e3 if row["unit"] == "us" and clock else None


def mesh_side(row: dict) -> int:
    settings = row["settings"]
    return settings["P"] if "P" in settings else settings["mesh"][0]


def counted(row: dict) -> Program:
    """What the program of a row does. Raises KeyError for a row of another program."""
    _, name, form = PROCEDURES[procedure_of(row)]
    program = Program(row["machine"], row["settings"]["dtype"], name)
    form(program, row["settings"])
    return program
