#pragma once
// Work: floating-point operations and bytes of the operators of neural networks, as functions of
// their sizes. The prediction of jobs and the work of traced operators use the same ones. Pure; any
// thread.
//
// FLOP count a multiply-add as two. Bytes are those that must move between memory and chip when
// every tensor is read and written once. Sizes are numbers of elements; `bytes…` those of one.

#include "core/model/EnumNames.h"

namespace trainscope::work {

struct Work {
    double flop = 0.0;
    double bytes = 0.0;

    Work& operator+=(const Work& other) {
        flop += other.flop;
        bytes += other.bytes;
        return *this;
    }
    friend Work operator+(Work a, const Work& b) { return a += b; }
    bool operator==(const Work&) const = default;
};

// The part of work that its bytes bound, whatever its vector units do meanwhile.
constexpr Work onlyBytes(const Work& work) {
    return {0.0, work.bytes};
}

// `batch` products (m × k)·(k × n).
struct ProductSize {
    double batch = 1.0;
    double m = 0.0;
    double n = 0.0;
    double k = 0.0;
};
struct ProductBytes { // per element
    double a = 0.0;
    double b = 0.0;
    double result = 0.0;
};
Work product(const ProductSize& size, const ProductBytes& bytes); // 2·batch·m·n·k
// Work to add to a product's results: one operation for each.
Work addition(double results, double added, double bytesEach);
// Rows m in groups of their own, each with a matrix k × n of `groups`.
Work groupedProduct(double groups, const ProductSize& size, const ProductBytes& bytes);
// Rows of each group summed over: `groups` products m × n whose k's sum to `size.k`.
Work groupedSum(double groups, const ProductSize& size, const ProductBytes& bytes);

// A convolution is a product of each result with the weights that it sees.
struct ConvolutionSize {
    double input = 0.0;
    double weight = 0.0;
    double result = 0.0;
    double productsEach = 0.0; // per result: input channels of its group × kernel; transposed, per
                               // input: output channels of its group × kernel
    bool isTransposed = false;
};
struct ConvolutionGradients {
    bool input = true;
    bool weight = true;
    bool bias = false;
};
Work convolution(const ConvolutionSize& size, double bytesEach);
Work convolutionBackward(
    const ConvolutionSize& size, const ConvolutionGradients& wanted, double bytesEach);

// Attention that is not written out: QKᵀ, softmax and PV in one kernel (Dao 2023).
struct AttentionSize {
    double batch = 1.0;
    double heads = 1.0;
    double keyHeads = 1.0; // fewer than heads where queries share keys and values (GQA, MQA)
    double queries = 0.0;
    double keys = 0.0;
    double keyWidth = 0.0;
    double valueWidth = 0.0;
};
enum class Mask { None, CausalFromStart, CausalToEnd }; // rows align at the start or the end
// Pairs of a query and a key that are computed. Causal: half of the square that both lengths share,
// its diagonal with it, and all that lies beyond. A window: each query sees so many keys before it.
double attendedPairs(
    double queries, double keys, Mask mask, std::optional<double> window = std::nullopt);
Work attention(const AttentionSize& size, double pairs, double bytesEach);
// Scores once more, and the gradients of values, weights, queries and keys: five products for two.
Work attentionBackward(const AttentionSize& size, double pairs, double bytesEach);

// Norms. Batch, layer and group: mean, variance, scale and shift, 5 an element, and 6 a channel for
// the factors; with the statistics at hand 2 an element. RMS: 4 an element.
enum class NormKind { Batch, Layer, Group, Rms };
double normFlop(NormKind kind, double elements, double channels, bool hasStatistics);
// Two sums, and from them the gradient of the input: 9 an element, RMS 8; without that gradient 6.
double normBackwardFlop(NormKind kind, double elements, bool isInputWanted);

double softmaxFlop(double elements); // largest, difference, exponential, sum, share: 5
double softmaxBackwardFlop(double elements); // product, sum, difference, product: 4

// `elements`, each read and written with so many bytes.
Work elementwise(double elements, double flopEach, double bytesEach);

// Loss of tokens over words where Megatron-LM computes it: to 32 bits, largest, exponential, sum,
// share.
Work unfusedCrossEntropy(double elements);
Work unfusedCrossEntropyBackward(double elements);
Work choice(double elements); // the next token: read; in 32 bits written, and read to choose one

// Rows of a table: read and written.
Work gatheredRows(double elements, double bytesEach);

// Parameters of an optimizer, with the numbers of 32 bits that are read and written for each.
enum class OptimizerKind { Sgd, MomentumSgd, Adagrad, Adam, AdamW };
constexpr auto namesOf(OptimizerKind) {
    return enumNames("sgd", "momentum_sgd", "adagrad", "adam", "adamw");
}
double optimizerFlop(OptimizerKind kind, double parameters);
// Gradient, master weight and two moments read, all but the gradient written, in 32 bits, and the
// weight in 16.
Work mixedAdam(double parameters);

} // namespace trainscope::work
