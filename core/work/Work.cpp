#include "core/work/Work.h"

namespace trainscope::work {

Work product(const ProductSize& size, const ProductBytes& bytes) {
    return {2.0 * size.batch * size.m * size.n * size.k,
        size.batch
            * (bytes.a * size.m * size.k + bytes.b * size.k * size.n
                + bytes.result * size.m * size.n)};
}

Work addition(double results, double added, double bytesEach) {
    return {results, added * bytesEach};
}

Work groupedProduct(double groups, const ProductSize& size, const ProductBytes& bytes) {
    return {2.0 * size.m * size.n * size.k,
        bytes.a * size.m * size.k + bytes.b * groups * size.k * size.n
            + bytes.result * size.m * size.n};
}

Work groupedSum(double groups, const ProductSize& size, const ProductBytes& bytes) {
    return {2.0 * size.m * size.n * size.k,
        bytes.a * size.m * size.k + bytes.b * size.k * size.n
            + bytes.result * groups * size.m * size.n};
}

namespace {

double convolutionFlop(const ConvolutionSize& size) {
    return 2.0 * (size.isTransposed ? size.input : size.result) * size.productsEach;
}

} // namespace

Work convolution(const ConvolutionSize& size, double bytesEach) {
    return {convolutionFlop(size), bytesEach * (size.input + size.weight + size.result)};
}

Work convolutionBackward(
    const ConvolutionSize& size, const ConvolutionGradients& wanted, double bytesEach) {
    // Either gradient is a convolution of two of the three tensors into the third.
    const Work one = convolution(size, bytesEach);
    Work sum;
    if (wanted.input)
        sum += one;
    if (wanted.weight)
        sum += one;
    if (wanted.bias)
        sum.flop += size.result;
    return sum;
}

double attendedPairs(double queries, double keys, Mask mask, std::optional<double> window) {
    if (mask == Mask::None)
        return queries * keys;
    const double shared = std::min(queries, keys);
    const double seenByAll = mask == Mask::CausalToEnd ? std::max(keys - queries, 0.0) : 0.0;
    const double seeAll = mask == Mask::CausalFromStart ? std::max(queries - keys, 0.0) : 0.0;
    const double causal = shared * shared / 2.0 + seenByAll * shared + seeAll * keys;
    // The last query sees those of all queries and those before the first one.
    const double wide = window.value_or(keys) + 1.0;
    if (queries > keys || wide >= seenByAll + queries)
        return causal;
    // The first queries see fewer keys than the window has.
    const double fewer = std::max(wide - 1.0 - seenByAll, 0.0);
    return queries * wide - fewer * (fewer + 1.0) / 2.0;
}

namespace {

struct AttentionTensors {
    double queries = 0.0;
    double keys = 0.0;
    double values = 0.0;
    double results = 0.0;
};

AttentionTensors tensorsOf(const AttentionSize& size) {
    const double queries = size.batch * size.heads * size.queries;
    const double keys = size.batch * size.keyHeads * size.keys;
    return {queries * size.keyWidth, keys * size.keyWidth, keys * size.valueWidth,
        queries * size.valueWidth};
}

} // namespace

Work attention(const AttentionSize& size, double pairs, double bytesEach) {
    const AttentionTensors moved = tensorsOf(size);
    return {2.0 * size.batch * size.heads * pairs * (size.keyWidth + size.valueWidth),
        bytesEach * (moved.queries + moved.keys + moved.values + moved.results)};
}

Work attentionBackward(const AttentionSize& size, double pairs, double bytesEach) {
    const AttentionTensors moved = tensorsOf(size);
    return {2.0 * size.batch * size.heads * pairs * (3.0 * size.keyWidth + 2.0 * size.valueWidth),
        2.0 * bytesEach * (moved.queries + moved.keys + moved.values + moved.results)};
}

double normFlop(NormKind kind, double elements, double channels, bool hasStatistics) {
    if (kind == NormKind::Rms)
        return 4.0 * elements;
    return (hasStatistics ? 2.0 : 5.0) * elements + 6.0 * channels;
}

double normBackwardFlop(NormKind kind, double elements, bool isInputWanted) {
    if (!isInputWanted)
        return 6.0 * elements;
    return (kind == NormKind::Rms ? 8.0 : 9.0) * elements;
}

double softmaxFlop(double elements) {
    return 5.0 * elements;
}

double softmaxBackwardFlop(double elements) {
    return 4.0 * elements;
}

Work elementwise(double elements, double flopEach, double bytesEach) {
    return {elements * flopEach, elements * bytesEach};
}

Work unfusedCrossEntropy(double elements) {
    return {softmaxFlop(elements), 14.0 * elements};
}

Work unfusedCrossEntropyBackward(double elements) {
    return {2.0 * elements, 10.5 * elements};
}

Work choice(double elements) {
    return {softmaxFlop(elements), 10.0 * elements};
}

Work gatheredRows(double elements, double bytesEach) {
    return {0.0, 2.0 * elements * bytesEach};
}

double optimizerFlop(OptimizerKind kind, double parameters) {
    switch (kind) {
    case OptimizerKind::Sgd: // w -= lr·g
        return 2.0 * parameters;
    case OptimizerKind::MomentumSgd: // m = a·m + g; w -= lr·m
        return 4.0 * parameters;
    case OptimizerKind::Adagrad: // s += g²; w -= lr·g / (√s + e)
        return 7.0 * parameters;
    case OptimizerKind::Adam: // moments 3 and 4, denominator 3, step 3
        return 13.0 * parameters;
    case OptimizerKind::AdamW: // and w *= 1 - lr·decay
        return 14.0 * parameters;
    }
    return 0.0;
}

Work mixedAdam(double parameters) {
    return {optimizerFlop(OptimizerKind::Adam, parameters), 30.0 * parameters};
}

} // namespace trainscope::work
