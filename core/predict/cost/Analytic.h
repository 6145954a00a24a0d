#pragma once
// Costs by formulas of a GPU's constants. Operators: a roofline whose compute side falls with small
// sizes of a matrix product,
//
//   t = 2·m·n·k·batch / (peak · share) · (1 + am·q/m)(1 + an·q/n)(1 + ak·q/k),
//   q = peak · share / (rate that the sizes are for),
//
// no faster than the bytes allow. By themselves (Rates::alone), the same with sizes of their own,
// each of the two products of a backward pass by its own shape, and attention
//
//   t = FLOP / (peak · share) · (1 + length/s). Products of few rows wait for their weights, which
//   no product of
// training does: bytes / (bandwidth · Rates::stream) beside the same of the columns and the sum, up
// to kStreamedRows rows, and from kComputedRows on the form above, in between by the rows'
// logarithm. Attention to a cache by its bytes at the same share, or by its products. Other
// attention at shares of its own; everything between by bytes. Collectives: bytes over the slowest
// link on the way and a latency,
//
//   all-gather, reduce-scatter of S   max(S·(r−1)/r / link, S·(n−1)/n / (r · network)), a ring
//   all-reduce                        both of them; inside a node no longer than one shot takes, of
//                                     which each rank reads all of the others': S·(n−1) / link;
//                                     added up by switches (Rates::inNetwork, Graham et al. 2020)
//                                     max(2·S·(r−1)/r / link, S / (r · network))
//   all-to-all                        by the shares that stay inside and leave the node
//
// n ranks, r in each of N nodes. Fitted forms and sizes: measured operator timings of A100 and
// GH200 (4.3 to 5.3 % mean error on held-out products). Any thread.

#include "core/predict/cost/Rates.h"
#include "core/predict/operators/Collective.h"
#include "core/predict/operators/Operator.h"

namespace trainscope::predict {

// Standard deviation of the logarithm of what operators take to the formulas.
inline constexpr double kFormulaSpread = 0.1;

class AnalyticCosts : public OperatorCosts, public CollectiveCosts {
public:
    explicit AnalyticCosts(const Rates& rates)
        : m_rates(rates) { }

    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override;
    [[nodiscard]] double secondsOf(const Collective& exchange) const override;

private:
    [[nodiscard]] double product(const Operator& work, double flop, double bytes) const;
    [[nodiscard]] double aloneProduct(double batch, double m, double n, double k) const;
    [[nodiscard]] OperatorTime aloneProducts(const Operator& work) const;
    [[nodiscard]] OperatorTime aloneAttention(const Operator& work) const;
    [[nodiscard]] bool isAlone(const Operator& work) const;
    [[nodiscard]] OperatorTime onceOf(const Operator& work) const;
    [[nodiscard]] double streamed(double flopSeconds, double bytes) const;
    [[nodiscard]] double reduced(const Collective& exchange) const;
    [[nodiscard]] double reducedBySwitches(const Collective& exchange) const;
    [[nodiscard]] double moved(double bytes) const;
    [[nodiscard]] double castBytes(const Operator& work, const Work& pass) const;
    [[nodiscard]] double gathered(const Collective& exchange) const;
    [[nodiscard]] double linkOf(double ranksInside) const;
    [[nodiscard]] double latency(const Collective& exchange) const;

    Rates m_rates;
};

} // namespace trainscope::predict
