// Context parallelism by hand: bytes of rings, all-to-alls and gathers, shares of attention, and
// what attention hides of a ring.

#include "core/predict/cost/Analytic.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/step/LayerCosts.h"
#include "core/predict/step/Step.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

// 16 heads of 128 numbers, keys and values of four of them.
JobRequest grouped(const char* layout, ContextExchange exchange, int gpus = 8) {
    JobRequest request;
    request.model.name = "grouped";
    request.model.layers = 4;
    request.model.hidden = 2048;
    request.model.heads = 16;
    request.model.kvHeads = 4;
    request.model.headSize = 128;
    request.model.ffn = 8192;
    request.model.vocabulary = 128;
    request.cluster = clusterFrom(std::to_string(gpus) + "xH100").value();
    request.layout = layoutFrom(layout).value();
    request.sequence = 8192;
    request.globalBatch = 8;
    request.execution.context = exchange;
    return request;
}

std::vector<Exchange> contextOf(const Job& job) {
    std::vector<Exchange> found;
    for (const Exchange& one : layerWork(job, false).exchanges) {
        if (one.kind == ExchangeKind::Context)
            found.push_back(one);
    }
    return found;
}

double attentionFlop(const Job& job) {
    double flop = 0.0;
    for (const Operator& one : layerWork(job, false).operators) {
        if (one.kind == OperatorKind::FlashAttention)
            flop += forwardWork(one).flop * one.count;
    }
    return flop;
}

// Attention takes 1 s forward and 2 s backward, all else nothing.
class OnlyAttention : public OperatorCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        return work.kind == OperatorKind::FlashAttention ? OperatorTime{1.0, 2.0, 0.0}
                                                         : OperatorTime{};
    }
};

class EqualExchanges : public CollectiveCosts {
public:
    explicit EqualExchanges(double seconds)
        : m_seconds(seconds) { }
    [[nodiscard]] double secondsOf(const Collective& exchange) const override {
        return exchange.ranks > 1 ? m_seconds : 0.0;
    }

private:
    double m_seconds;
};

PieceCost costWith(const Job& job, double seconds) {
    Rates rates;
    rates.contextForward = 0.3;
    rates.contextBackward = 0.5;
    return layerCostsOf(job, rates, OnlyAttention(), EqualExchanges(seconds)).dense.cost;
}

Job mixtralOn(const char* cluster, const char* layout) {
    return test::catalogueJob("mixtral-8x7b", cluster, layout, 32);
}

Rates usualRates(const Job& job) {
    return RateTable::builtIn().ratesOf(job).value();
}

// An all-gather or reduce-scatter of so many ranks, `inside` of them in a node.
double ringSeconds(const Rates& rates, double bytes, double ranks, double inside) {
    const double nodes = ranks / inside;
    const double link = bytes * (inside - 1.0) / inside / rates.link;
    const double network
        = nodes > 1.0 ? bytes * (ranks - 1.0) / ranks / (inside * rates.network) : 0.0;
    return std::max(link, network) + rates.linkLatency + rates.networkLatency * std::log2(nodes);
}

bool agree(double a, double b) {
    return std::abs(a / b - 1.0) < 1e-9;
}

} // namespace

class tst_ContextExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Four GPUs have 2048 of 8192 tokens each, whose keys and values are 2 · 4 · 128 numbers of 2
    // B: 4 MiB go on in each of three steps, with their gradients in twice as many.
    void ring() {
        const Job job = jobOf(grouped("cp=4", ContextExchange::Ring)).value();
        const auto exchanges = contextOf(job);
        QCOMPARE(exchanges.size(), std::size_t{1});
        QVERIFY(exchanges[0].collective.kind == CollectiveKind::SendRecv);
        QCOMPARE(exchanges[0].collective.bytes, 4.0 * 1024 * 1024);
        QCOMPARE(exchanges[0].forward, 3.0);
        QCOMPARE(exchanges[0].backward, 6.0);
        QCOMPARE(exchanges[0].collective.nodes(), 1);
    }

    // There 2048 tokens of (16 + 4 + 4) · 128 numbers of 2 B, back those of 16 · 128; the backward
    // pass the same.
    void allToAll() {
        const auto exchanges = contextOf(jobOf(grouped("cp=4", ContextExchange::AllToAll)).value());
        QCOMPARE(exchanges.size(), std::size_t{2});
        QCOMPARE(exchanges[0].collective.bytes, 2048.0 * 24 * 128 * 2);
        QCOMPARE(exchanges[1].collective.bytes, 2048.0 * 16 * 128 * 2);
        for (const Exchange& one : exchanges) {
            QVERIFY(one.collective.kind == CollectiveKind::AllToAll);
            QCOMPARE(one.forward, 1.0);
            QCOMPARE(one.backward, 1.0);
        }
        // Each of eight GPUs has keys of a head, though there are four.
        const auto more = contextOf(jobOf(grouped("cp=8", ContextExchange::AllToAll)).value());
        QCOMPARE(more[0].collective.bytes, 1024.0 * (16 + 8 + 8) * 128 * 2);
    }

    void gather() {
        const auto exchanges = contextOf(jobOf(grouped("cp=4", ContextExchange::Gather)).value());
        QCOMPARE(exchanges.size(), std::size_t{2});
        QVERIFY(exchanges[0].collective.kind == CollectiveKind::AllGather);
        QVERIFY(exchanges[1].collective.kind == CollectiveKind::ReduceScatter);
        for (const Exchange& one : exchanges)
            QCOMPARE(one.collective.bytes, 4.0 * 4 * 1024 * 1024);
        QCOMPARE(exchanges[0].forward + exchanges[0].backward, 2.0);
        QCOMPARE(exchanges[1].forward, 0.0);
        QCOMPARE(exchanges[1].backward, 1.0);
    }

    // Whichever way, a GPU of n does an n-th of causal attention.
    void attentionIsShared() {
        const double whole = attentionFlop(jobOf(grouped("cp=1", ContextExchange::Ring)).value());
        for (const auto exchange :
            {ContextExchange::Ring, ContextExchange::AllToAll, ContextExchange::Gather}) {
            const double part = attentionFlop(jobOf(grouped("cp=4", exchange)).value());
            QVERIFY(std::abs(4.0 * part / whole - 1.0) < 1e-12);
        }
    }

    // Three quarters of attention have a step to hide. Short steps show the least share of
    // themselves, 0.3 of 3 · 0.1 s and 0.5 of 6 · 0.1 s; long ones what is longer than it:
    // 3 · 1 − 0.75 and 6 · 1 − 1.5.
    void attentionHidesTheRing() {
        const Job job = jobOf(grouped("cp=4", ContextExchange::Ring)).value();
        const PieceCost brief = costWith(job, 0.1);
        QVERIFY(std::abs(brief.forward[StepPart::ContextParallel] - 0.09) < 1e-12);
        QVERIFY(std::abs(brief.backward[StepPart::ContextParallel] - 0.3) < 1e-12);
        const PieceCost slow = costWith(job, 1.0);
        QVERIFY(std::abs(slow.forward[StepPart::ContextParallel] - 2.25) < 1e-12);
        QVERIFY(std::abs(slow.backward[StepPart::ContextParallel] - 4.5) < 1e-12);
    }

    // Nothing lies before an all-to-all or a gather.
    void othersAreNotHidden() {
        const PieceCost heads
            = costWith(jobOf(grouped("cp=4", ContextExchange::AllToAll)).value(), 0.1);
        QVERIFY(std::abs(heads.forward[StepPart::ContextParallel] - 0.2) < 1e-12);
        QVERIFY(std::abs(heads.backward[StepPart::ContextParallel] - 0.2) < 1e-12);
        const PieceCost keys
            = costWith(jobOf(grouped("cp=4", ContextExchange::Gather)).value(), 0.1);
        QVERIFY(std::abs(keys.forward[StepPart::ContextParallel] - 0.1) < 1e-12);
        QVERIFY(std::abs(keys.backward[StepPart::ContextParallel] - 0.2) < 1e-12);
    }

    // A ring over two nodes goes as fast as its way between them. An all-to-all sends half of what
    // it has out of the node.
    void acrossNodes() {
        const Job ring = jobOf(grouped("cp=16", ContextExchange::Ring, 16)).value();
        const Rates rates = RateTable::builtIn().ratesOf(ring).value();
        const AnalyticCosts costs(rates);
        const Collective step = contextOf(ring).front().collective;
        QCOMPARE(step.nodes(), 2);
        const double latency = rates.linkLatency + rates.networkLatency;
        VERIFY_RATIO(costs.secondsOf(step), 1024.0 * 1024 / rates.networkSend + latency, 1e-9);
        const Job heads = jobOf(grouped("cp=16", ContextExchange::AllToAll, 16)).value();
        const Collective back = contextOf(heads).back().collective;
        const double bytes = 512.0 * 16 * 128 * 2;
        QCOMPARE(back.bytes, bytes);
        VERIFY_RATIO(costs.secondsOf(back), bytes / 2.0 / rates.network + latency, 1e-9);
    }

    void headsHaveToDivide() {
        JobRequest request = grouped("tp=8,cp=4", ContextExchange::AllToAll, 32);
        const auto refused = jobOf(request);
        QVERIFY(!refused.hasValue());
        QVERIFY(refused.error().message.find("which does not divide the 2 heads that TP 8 leaves")
            != std::string::npos);
        request.execution.context = ContextExchange::Ring;
        QVERIFY(jobOf(request).hasValue());
        for (const auto exchange :
            {ContextExchange::Ring, ContextExchange::AllToAll, ContextExchange::Gather})
            QVERIFY(contextExchangeFrom(toString(exchange)) == exchange);
    }

    // Exchanges and updates of steps of mixtures of experts where experts have replicas of their
    // own, against the closed forms of rings with counts by hand.

    // TP 2, EP 4, ETP 1 on four nodes of 8: parameters outside of experts have 16 replicas, four of
    // them in a node; experts eight, two of them in a node. Gradients 4 B down, parameters 2 B up.
    void gradientsOfExpertsGoAmongTheirReplicas() {
        const Job job = mixtralOn("4x8xH100", "tp=2,ep=4,etp=1");
        const Rates rates = usualRates(job);
        const Step step = predictStep(job, rates).value();
        const LayerWork layer = layerWork(job, true);
        const double dense
            = 32.0 * layer.parameters + embeddingWork(job).parameters + lossWork(job).parameters;
        const double experts = 32.0 * layer.expertParameters;
        const double all = ringSeconds(rates, 4.0 * dense, 16, 4)
            + ringSeconds(rates, 2.0 * dense, 16, 4) + ringSeconds(rates, 4.0 * experts, 8, 2)
            + ringSeconds(rates, 2.0 * experts, 8, 2);
        const PieceCost& piece = step.pieces.front();
        const double microBatch = piece.forward.total() + piece.backward.total();
        const double exposed
            = std::max(rates.dataExposed * all, all - rates.dataHidden * microBatch);
        QVERIFY(agree(step.breakdown[StepPart::DataParallel], exposed));
    }

    // ZeRO 3 gathers 2 B of each parameter for a layer. With EP 8 on eight GPUs nobody else has the
    // same expert, and none is gathered; on two nodes of eight one other rank has it, in the other
    // node.
    void expertsAreGatheredAmongTheirReplicas_data() {
        const auto row
            = test::columns<QByteArray, double, double>("cluster", "replicas", "expertReplicas");
        row("one node", "1x8xH200", 8.0, 1.0);
        row("two nodes", "2x8xH200", 16.0, 2.0);
    }
    void expertsAreGatheredAmongTheirReplicas() {
        QFETCH(const QByteArray, cluster);
        QFETCH(const double, replicas);
        QFETCH(const double, expertReplicas);
        const Job job = mixtralOn(cluster.constData(), "ep=8,zero=3");
        const Rates rates = usualRates(job);
        const AnalyticCosts costs(rates);
        const Breakdown& forward = layerCostsOf(job, rates, costs, costs).expert.cost.forward;
        const LayerWork layer = layerWork(job, true);
        double gathering = ringSeconds(rates, 2.0 * layer.parameters, replicas, 8);
        if (expertReplicas > 1.0)
            gathering += ringSeconds(rates, 2.0 * layer.expertParameters, expertReplicas, 1);
        const double compute = forward.total() - forward[StepPart::Sharding];
        QVERIFY(agree(forward[StepPart::Sharding],
            std::max(rates.shardedSlowdown * gathering, gathering - compute)));
    }

    // Shards of two ranks on 32 GPUs with EP 8: each updates half of its parameters, of its experts
    // too, though four ranks have these.
    void expertsAreUpdatedByTheirShards() {
        const Job job = mixtralOn("4x8xH200", "ep=8,zero=3,shard=2");
        const Rates rates = usualRates(job);
        const LayerWork layer = layerWork(job, true);
        const double held = 32.0 * (layer.parameters + layer.expertParameters)
            + embeddingWork(job).parameters + lossWork(job).parameters;
        const double seconds = AnalyticCosts(rates).timeOf(optimizerWork(job, held / 2.0)).forward;
        QVERIFY(agree(predictStep(job, rates).value().breakdown[StepPart::Optimizer], seconds));
    }
};

TRAINSCOPE_TEST(tst_ContextExchange)
#include "tst_ContextExchange.moc"
