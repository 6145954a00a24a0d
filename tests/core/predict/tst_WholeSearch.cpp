// Searches of small clusters against every layout predicted whole.

#include "core/predict/search/Search.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

using LayoutKey = std::tuple<int, int, int, int, int, int, int, int, int, int, int, int>;
LayoutKey keyOf(const LayoutChoice& choice) {
    return {choice.tensor, choice.context, choice.expert, choice.expertTensor, choice.pipeline,
        choice.virtualStages, static_cast<int>(choice.schedule), choice.zeroStage, choice.shard,
        choice.microBatch, static_cast<int>(choice.recompute), choice.recomputedLayers};
}

std::pair<double, double> costOf(const SearchRequest& request, const Prediction& prediction) {
    switch (request.objective) {
    case SearchObjective::Time:
        return {prediction.seconds, prediction.energyJ};
    case SearchObjective::Energy:
        return {prediction.energyJ, prediction.seconds};
    case SearchObjective::PeakPower:
        break;
    }
    return {std::round(prediction.outlook.peakW * request.cluster.gpus()), prediction.seconds};
}

// Everything in the ranges of Search.h, each layout predicted by itself.
struct Whole {
    std::map<LayoutKey, Prediction> predictions; // without schedules
    std::int64_t oom = 0;
};

std::vector<int> divisors(int number) {
    std::vector<int> all;
    for (int i = 1; i <= number; ++i) {
        if (number % i == 0)
            all.push_back(i);
    }
    return all;
}

class WholePredictor {
public:
    explicit WholePredictor(const SearchRequest& request)
        : m_request(request) { }

    Whole all() {
        const int gpus = m_request.cluster.gpus();
        const int node = m_request.cluster.gpusPerNode;
        for (const int tensor : divisors(gpus)) {
            for (const int context : divisors(gpus)) {
                for (const int pipeline : divisors(gpus)) {
                    for (const int expert : divisors(std::max(1, m_request.model.experts))) {
                        if (tensor <= node && context <= m_request.sequence / 256)
                            degrees(tensor, context, expert, pipeline);
                    }
                }
            }
        }
        return m_whole;
    }

private:
    void degrees(int tensor, int context, int expert, int pipeline) {
        LayoutChoice choice;
        choice.tensor = tensor;
        choice.context = context;
        choice.expert = expert;
        choice.pipeline = pipeline;
        const bool isMixture = m_request.model.experts > 1;
        for (const int slices : isMixture ? std::set{1, tensor} : std::set{0}) {
            choice.expertTensor = slices;
            flows(choice);
        }
    }

    void flows(LayoutChoice choice) {
        using layout::ScheduleKind;
        const int layers = m_request.model.layers;
        choice.schedule = ScheduleKind::OneForwardOneBackward;
        shardings(choice);
        if (choice.pipeline == 1 || choice.pipeline > layers)
            return;
        choice.schedule = ScheduleKind::ZeroBubble;
        shardings(choice);
        const int largest = (layers + choice.pipeline - 1) / choice.pipeline;
        choice.schedule = ScheduleKind::Interleaved;
        for (const int pieces : divisors(largest)) {
            choice.virtualStages = pieces;
            if (pieces > 1)
                shardings(choice);
        }
        choice.virtualStages = 1;
        choice.schedule = ScheduleKind::DualPipe;
        if (m_request.model.experts > 1 && choice.pipeline % 2 == 0)
            shardings(choice);
    }

    void shardings(LayoutChoice choice) {
        const int gpus = m_request.cluster.gpus();
        if (gpus % (choice.tensor * choice.context * choice.pipeline) != 0)
            return;
        const int ranks = gpus / (choice.tensor * choice.pipeline);
        for (const int zeroStage : {1, 2, 3}) {
            choice.zeroStage = zeroStage;
            choice.shard = 0;
            if (zeroStage == 1 || ranks > 1)
                batches(choice);
            for (const int group : divisors(ranks)) {
                choice.shard = group;
                if (zeroStage == 3 && group > 1 && group < ranks)
                    batches(choice);
            }
        }
    }

    void batches(LayoutChoice choice) {
        const int layers = m_request.model.layers;
        const int largest = (layers + choice.pipeline - 1) / choice.pipeline;
        for (int batch = 1; batch <= m_request.globalBatch; batch *= 2) {
            choice.microBatch = batch;
            std::set<std::pair<Recompute, int>> modes{{Recompute::None, 0}, {Recompute::Full, 0}};
            for (int quarter = 1; quarter <= 3; ++quarter) {
                if (largest * quarter / 4 > 0)
                    modes.insert({Recompute::Full, largest * quarter / 4});
            }
            if (choice.zeroStage == 3)
                modes.insert({Recompute::PerOperator, 0});
            for (const auto& [mode, recomputed] : modes) {
                choice.recompute = mode;
                choice.recomputedLayers = recomputed;
                predictChoice(choice);
            }
        }
    }

    void predictChoice(LayoutChoice choice) {
        const int ranks = choice.tensor * choice.context * choice.pipeline;
        choice.data = m_request.cluster.gpus() / ranks;
        const auto job = jobOf(m_request, choice);
        const int keys = m_request.model.kvHeads;
        if (!job.hasValue() || (keys % choice.tensor != 0 && choice.tensor % keys != 0))
            return;
        const int microbatches = job.value().microbatches();
        if (choice.virtualStages > 1 && microbatches < choice.pipeline)
            return;
        const bool isDual = choice.schedule == layout::ScheduleKind::DualPipe;
        if (isDual && (microbatches % 2 != 0 || microbatches < 2 * choice.pipeline))
            return;
        auto prediction = Predictor().predict(job.value()).value();
        prediction.step.schedule = {};
        if (prediction.isOom)
            ++m_whole.oom;
        else
            m_whole.predictions.emplace(keyOf(choice), std::move(prediction));
    }

    const SearchRequest& m_request;
    Whole m_whole;
};

// Once for all objectives.
const Whole& predictedWhole(const SearchRequest& request) {
    static std::map<std::string, Whole> made;
    const std::string name = request.model.name + textOf(request.cluster);
    const auto known = made.find(name);
    if (known != made.end())
        return known->second;
    return made.emplace(name, WholePredictor(request).all()).first->second;
}

LayoutChoice choiceWith(int tensor, int pipeline, int microBatch) {
    LayoutChoice choice;
    choice.tensor = tensor;
    choice.pipeline = pipeline;
    choice.microBatch = microBatch;
    return choice;
}

Job eightH100() {
    return jobOf(test::jobRequest("llama3-8b", "1x8xH100", "tp=8", 16)).value();
}

// Its own error is a standard deviation of 3 %; two of different software, as their choices say
// here, have errors that correlate by exp(-1), so that the ratio of two has
// 0.03 sqrt(2 (1 - exp(-1))) = 0.0337, and 5.7 % apart is no tie.
RankedLayout planted(LayoutChoice choice, double seconds) {
    RankedLayout one{choice, eightH100(), {}, 0.0};
    one.job.stack = std::to_string(choice.tensor) + " " + std::to_string(choice.pipeline) + " "
        + std::to_string(choice.microBatch);
    one.prediction.seconds = seconds;
    one.prediction.spread.own = 0.03;
    return one;
}

// As estimates, each as predicted.
std::vector<LayoutEstimate> estimatesOf(const std::vector<RankedLayout>& ranked) {
    std::vector<LayoutEstimate> all;
    for (const RankedLayout& one : ranked)
        all.push_back({one.choice, one.prediction.seconds, 0.0, 0.0, 0.0, 0.0, 0.0});
    return all;
}

Result<RankedLayout> notAsked(const LayoutChoice&) {
    return usageError("All of them were predicted.");
}

} // namespace

class tst_WholeSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Every combination of a small cluster, asked one by one: nothing that can be is missed, what
    // is refused for its memory does not fit, and the best of all whole predictions are those that
    // are found.
    void smallClustersAreSearchedWhole_data() {
        const auto row = test::columns<QByteArray, QByteArray, int, int>(
            "model", "cluster", "batch", "objective");
        for (const SearchObjective objective : kAllObjectives) {
            const auto name = std::string(toString(objective));
            const auto add
                = [&](const char* what, const char* model, const char* cluster, int batch) {
                      row(name + ", " + what, model, cluster, batch, static_cast<int>(objective));
                  };
            add("dense", "llama3-8b", "1x8xH100", 16);
            add("experts", "mixtral-8x7b", "1x8xH200", 16);
            add("two nodes", "llama2-13b", "2x4xA100", 16);
        }
    }
    void smallClustersAreSearchedWhole() {
        QFETCH(const QByteArray, model);
        QFETCH(const QByteArray, cluster);
        QFETCH(const int, batch);
        QFETCH(const int, objective);
        SearchRequest request
            = test::searchRequest(model.constData(), cluster.constData(), batch, 4096);
        request.objective = static_cast<SearchObjective>(objective);
        const auto found = searchLayouts(request).value();
        QVERIFY(found.isProven);
        const Whole& whole = predictedWhole(request);
        QCOMPARE(found.refusedBy(Refusal::Memory), whole.oom);
        QCOMPARE(static_cast<std::int64_t>(found.feasible.size()) + found.refusedBy(Refusal::Slow),
            static_cast<std::int64_t>(whole.predictions.size()));
        // Slower ones than kSlowest times the fastest are not ranked.
        std::set<LayoutKey> ranked;
        const double gpus = request.cluster.gpus();
        for (const LayoutEstimate& one : found.feasible) {
            ranked.insert(keyOf(one.choice));
            const Prediction& prediction = whole.predictions.at(keyOf(one.choice));
            QVERIFY(one.leastSeconds <= prediction.seconds * (1.0 + 1e-9));
            // The bounds of the best: no prediction is below these.
            QVERIFY(prediction.energyJ >= 0.97 * one.energyJ * one.leastSeconds / one.seconds);
            QVERIFY(prediction.outlook.peakW * gpus >= one.leastPeakW * (1.0 - 1e-6));
            // And what is shown of the others is near.
            QVERIFY(std::abs(one.peakW / (prediction.outlook.peakW * gpus) - 1.0) < 0.03);
        }

        std::vector<std::pair<double, double>> best;
        for (const auto& [key, prediction] : whole.predictions) {
            const bool isSure = prediction.intervals.memoryB.high <= *prediction.capacityB;
            if (ranked.contains(key) && isSure == (found.sure > 0))
                best.push_back(costOf(request, prediction));
        }
        std::sort(best.begin(), best.end());
        for (std::size_t i = 0; i < found.top.size(); ++i) {
            const RankedLayout& one = found.top[i];
            const auto cost = costOf(request, one.prediction);
            QVERIFY2(std::abs(cost.first / best[i].first - 1.0) < 1e-9,
                qPrintable(
                    QStringLiteral("%1: %2, best %3").arg(i).arg(cost.first).arg(best[i].first)));
        }
    }

    // Layouts that a prediction cannot tell apart, planted, and those of a real search.

    // Intervals of their own do not matter: what is not known of both alike cancels.
    void byTheirRatio() {
        auto a = planted(choiceWith(1, 1, 1), 10.0);
        auto b = planted(choiceWith(2, 1, 1), 10.55);
        QVERIFY(areTied(a, b, SearchObjective::Time) && areTied(b, a, SearchObjective::Time));
        b.prediction.seconds = 10.6;
        a.prediction.low = b.prediction.low = 5.0;
        a.prediction.high = b.prediction.high = 20.0;
        a.prediction.spread.constants["gemm"] = b.prediction.spread.constants["gemm"] = 0.2;
        QVERIFY(!areTied(a, b, SearchObjective::Time) && !areTied(b, a, SearchObjective::Time));
        // One depends on the link, 5 % of its step: sqrt(0.0337² + 0.05²) = 0.0603, 10.4 % apart.
        b.prediction.spread.constants["link"] = 0.05;
        b.prediction.seconds = 11.0;
        QVERIFY(areTied(a, b, SearchObjective::Time));
        b.prediction.seconds = 11.1;
        QVERIFY(!areTied(a, b, SearchObjective::Time));
        // The same job, however little it is known, is a tie with what is as long.
        auto c = a;
        QVERIFY(areTied(a, c, SearchObjective::Time));
        c.prediction.seconds = 10.001;
        QVERIFY(!areTied(a, c, SearchObjective::Time));
    }

    // The power has 8 % of its own in each: 0.08 · 1.124 = 0.0899, 16 % apart. In the energy the
    // step's 0.0337 counts besides, at most whole.
    void byWhatTheyAreRankedBy() {
        auto a = planted(choiceWith(1, 1, 1), 10.0);
        auto b = planted(choiceWith(2, 1, 1), 20.0);
        a.prediction.energyJ = 100.0;
        b.prediction.energyJ = 115.0;
        QVERIFY(areTied(a, b, SearchObjective::Energy));
        QVERIFY(!areTied(a, b, SearchObjective::Time));
        b.prediction.energyJ = 118.0;
        QVERIFY(!areTied(a, b, SearchObjective::Energy));
        a.peakW = 4000.0;
        b.peakW = 4600.0;
        QVERIFY(areTied(a, b, SearchObjective::PeakPower));
        b.peakW = 4700.0;
        QVERIFY(!areTied(a, b, SearchObjective::PeakPower));
        // The limiter keeps both within 3 %: 5.7 % apart.
        a.prediction.outlook.limit = b.prediction.outlook.limit = ClockLimit::Power;
        b.peakW = 4250.0;
        QVERIFY(!areTied(a, b, SearchObjective::PeakPower));
    }

    // 10, 10.1 and 10.4 are ties; of the two that take 12 the one that divides as the best does
    // comes later; 12.2 is a tie with it; 15 is the third. Six are ranked, so six are listed.
    void threeTrulyDiffer() {
        const std::vector<RankedLayout> ranked{planted(choiceWith(4, 2, 1), 10.0),
            planted(choiceWith(4, 2, 2), 10.1), planted(choiceWith(2, 4, 1), 10.4),
            planted(choiceWith(4, 2, 4), 12.0), planted(choiceWith(8, 1, 1), 12.0),
            planted(choiceWith(1, 8, 1), 12.2), planted(choiceWith(2, 2, 1), 15.0),
            planted(choiceWith(1, 1, 1), 19.0)};
        SearchResult found;
        found.apart
            = layoutsApart(ranked, estimatesOf(ranked), SearchObjective::Time, notAsked).value();
        QCOMPARE(found.apart.size(), std::size_t{3});
        QVERIFY(found.apart[0].choice == choiceWith(4, 2, 1));
        QVERIFY(found.apart[1].choice == choiceWith(8, 1, 1));
        QVERIFY(found.apart[2].choice == choiceWith(2, 2, 1));
        found.top.assign(ranked.begin(), ranked.begin() + 6);
        const auto listed = listedLayouts(found);
        std::vector<std::size_t> groups;
        std::vector<double> seconds;
        for (const ListedLayout& one : listed) {
            groups.push_back(one.group);
            seconds.push_back(one.layout->prediction.seconds);
        }
        QCOMPARE(groups, (std::vector<std::size_t>{1, 1, 1, 2, 2, 3}));
        QCOMPARE(seconds, (std::vector<double>{10.0, 10.1, 10.4, 12.0, 12.0, 15.0}));
        QVERIFY(listed[0].isBest() && !listed[1].isBest() && !listed[1].isFirst);
        QVERIFY(listed[3].isFirst && !listed[4].isFirst && listed[5].isFirst);
    }

    // One GPU divides nothing: those that differ otherwise are taken.
    void whereNothingIsDivided() {
        const std::vector<RankedLayout> ranked{planted(choiceWith(1, 1, 8), 10.0),
            planted(choiceWith(1, 1, 4), 10.5), planted(choiceWith(1, 1, 2), 13.0)};
        const auto apart
            = layoutsApart(ranked, estimatesOf(ranked), SearchObjective::Time, notAsked).value();
        QCOMPARE(apart.size(), std::size_t{2});
        QVERIFY(apart[1].choice == choiceWith(1, 1, 2));
        QVERIFY(layoutsApart({}, {}, SearchObjective::Time, notAsked).value().empty());
    }

    // The first of a search is the best, no two are ties, and the divisions differ.
    void ofASearch() {
        SearchRequest request = test::searchRequest("llama3-8b", "2x8xH100", 64);
        const auto found = searchLayouts(request).value();
        QCOMPARE(found.apart.size(), kMostApart);
        QVERIFY(found.apart.front().choice == found.top.front().choice);
        for (std::size_t a = 0; a < found.apart.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const LayoutChoice& one = found.apart[a].choice;
                const LayoutChoice& other = found.apart[b].choice;
                QVERIFY(!areTied(found.apart[a], found.apart[b], SearchObjective::Time));
                QVERIFY(one.tensor != other.tensor || one.pipeline != other.pipeline
                    || one.context != other.context || one.data != other.data);
                QVERIFY(found.apart[b].prediction.seconds < found.apart[a].prediction.seconds);
            }
        }
        const auto listed = listedLayouts(found);
        for (const ListedLayout& one : listed) {
            const auto first = std::ranges::find_if(listed, [&](const ListedLayout& other) {
                return other.isFirst && other.group == one.group;
            });
            QCOMPARE(one.group > 0, one.layout->isSure);
            if (one.group > 0)
                QVERIFY(first->layout->prediction.seconds <= one.layout->prediction.seconds);
            if (one.group > 0 && one.group <= found.apart.size())
                QVERIFY(areTied(*one.layout, found.apart[one.group - 1], SearchObjective::Time));
        }
    }
};

TRAINSCOPE_TEST(tst_WholeSearch)
#include "tst_WholeSearch.moc"
