// Step times if one thing were otherwise, and the verdict between clusters that do not exist.

#include "core/predict/search/ScaleVerdict.h"
#include "core/predict/search/WhatIf.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

namespace {

Job jobOn(const char* cluster, const char* layout, int batch) {
    JobRequest request;
    request.model = *catalogue::modelCatalogue().byName("llama3-8b");
    request.cluster = clusterFrom(cluster).value();
    request.layout = layoutFrom(layout).value();
    request.globalBatch = batch;
    request.sequence = 8192;
    return jobOf(request).value();
}

WhatIfRow rowOf(const std::vector<WhatIfRow>& all, WhatIf what) {
    for (const WhatIfRow& one : all) {
        if (one.what == what)
            return one;
    }
    return {};
}

} // namespace

class tst_WhatIf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofOneNode() {
        const Job job = jobOn("1x8xH100", "tp=8", 16);
        const double usual = Predictor().predict(job).value().seconds;
        const auto all = whatIfsOf(job).value();
        QCOMPARE(all.size(), kWhatIfs);
        // Nothing leaves the node.
        const auto network = rowOf(all, WhatIf::NetworkBandwidth);
        QCOMPARE(network.points.size(), kWhatIfFactors.size());
        for (const WhatIfPoint& point : network.points)
            QCOMPARE(point.made.seconds, usual);
        // Twice the link halves what tensor-parallel exchanges take beyond their latency.
        const auto link = rowOf(all, WhatIf::LinkBandwidth);
        QVERIFY(link.points[0].made.seconds > usual && usual > link.points[1].made.seconds);
        QVERIFY(link.points[0].made.step.schedule.tasks.empty());
        const auto power = rowOf(all, WhatIf::PowerLimit);
        QVERIFY(power.points[0].made.seconds > 1.05 * usual);
        QVERIFY(power.points[1].made.seconds <= usual);
        QCOMPARE(*power.value, 700.0);
    }

    void halfTheMemoryFitsOrNot() {
        const Job job = jobOn("1x8xH100", "tp=8", 16);
        const auto prediction = Predictor().predict(job).value();
        const auto memory = rowOf(whatIfsOf(job).value(), WhatIf::MemorySize);
        const double capacity = *job.machine.gpu.memoryBytes;
        for (const WhatIfPoint& point : memory.points) {
            QCOMPARE(point.made.seconds, prediction.seconds);
            QCOMPARE(point.made.isOom, prediction.memoryB > point.factor * capacity);
        }
    }

    // Half of 16 micro-batches is eight; four fifths are no whole number of them.
    void batchesAreWholeMicroBatches() {
        const Job job = jobOn("1x8xH100", "tp=8", 16);
        const auto half = withFactor(job, WhatIf::GlobalBatch, 0.5);
        QCOMPARE(half->globalBatch, 8);
        QCOMPARE(half->microbatches(), 8);
        QVERIFY(!withFactor(job, WhatIf::GlobalBatch, 0.8));
        QCOMPARE(withFactor(job, WhatIf::Sequence, 2.0)->sequence, 16384);
        const auto batch = rowOf(whatIfsOf(job).value(), WhatIf::GlobalBatch);
        QCOMPARE(batch.points.size(), std::size_t{2});
        // All but the optimizer and what a step takes once.
        const double ratio = batch.points[1].made.seconds / batch.points[0].made.seconds;
        QVERIFY(ratio > 3.5 && ratio < 4.0);
    }

    // Micro-batches of two are half as many; 16 of one cannot be halved, nor made 1.25 times.
    void microBatchesKeepTheBatch() {
        const Job job = jobOn("1x8xH100", "tp=8", 16);
        const auto twice = withFactor(job, WhatIf::MicroBatch, 2.0);
        QCOMPARE(twice->microBatch, 2);
        QCOMPARE(twice->microbatches(), 8);
        QCOMPARE(twice->globalBatch, 16);
        QVERIFY(!withFactor(job, WhatIf::MicroBatch, 0.5));
        QVERIFY(!withFactor(job, WhatIf::MicroBatch, 1.25));
        JobRequest request;
        request.model = job.model;
        request.cluster = clusterFrom("1x8xH100").value();
        request.layout = layoutFrom("tp=8").value();
        request.globalBatch = 16;
        request.sequence = 8192;
        request.microBatch = 2;
        const auto asked = Predictor().predict(jobOf(request).value()).value();
        const auto micro = rowOf(whatIfsOf(job).value(), WhatIf::MicroBatch);
        QCOMPARE(micro.points.size(), std::size_t{1});
        QCOMPARE(micro.points.front().made.seconds, asked.seconds);
        QCOMPARE(*micro.value, 1.0);
    }

    // Llama 3 70B on 32 H100: with half of the memory another layout is the best, or none; with
    // twice of it none that takes longer.
    void otherMemoryHasOtherLayouts() {
        SearchRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-70b");
        request.cluster = clusterFrom("4x8xH100").value();
        request.globalBatch = 64;
        const double now = searchLayouts(request).value().top.front().prediction.seconds;
        const auto row = memoryWhatIf(request).value();
        QCOMPARE(row.points.size(), std::size_t{2});
        const WhatIfPoint& half = row.points[0];
        const WhatIfPoint& twice = row.points[1];
        QCOMPARE(half.factor, 0.5);
        QVERIFY(half.made.isOom || half.made.seconds >= now);
        QCOMPARE(half.made.isOom, !half.best.has_value());
        QCOMPARE(twice.factor, 2.0);
        QVERIFY(twice.made.seconds <= now);
        // It stands in the place of the row that is of one layout.
        std::vector<WhatIfRow> rows{{WhatIf::Sequence, 1.0, {}}, {WhatIf::MemorySize, 1.0, {}}};
        takeMemory(row, rows);
        QCOMPARE(rows[1].points.size(), std::size_t{2});
        QVERIFY(rows[0].points.empty());
        request.cluster.gpu.memoryBytes = 2.0 * *request.cluster.gpu.memoryBytes;
        QCOMPARE(twice.made.seconds, searchLayouts(request).value().top.front().prediction.seconds);
        request.cluster.gpu.memoryBytes.reset();
        QVERIFY(memoryWhatIf(request).value().points.empty());
    }

    void measuresAreThePrediction() {
        const Job job = jobOn("2x8xH100", "tp=4", 64);
        const auto prediction = Predictor().predict(job).value();
        const auto measures = measuresOf(job, prediction, "a");
        QVERIFY(measures.run.kind == RunKind::Predicted);
        QCOMPARE(measures.gpus, 16);
        QCOMPARE(measures.nodes, 2);
        QCOMPARE(*measures.value("step_time_s"), prediction.seconds);
        QCOMPARE(*measures.value("tokens_per_s_per_gpu"), 64.0 * 8192 / prediction.seconds / 16);
        QCOMPARE(*measures.value("tokens_per_j"), 64.0 * 8192 / prediction.energyJ);
        QVERIFY(!measures.value("ib_bytes_per_step"));
        QVERIFY(!measures.why("ib_bytes_per_step").empty());
    }

    void scaleUpAgainstScaleOut() {
        SearchRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-8b");
        request.cluster = clusterFrom("1x8xB200").value();
        request.globalBatch = 64;
        request.sequence = 8192;
        request.top = 3;
        const auto compared = compareScales(request, clusterFrom("4x8xA100").value()).value();
        const auto& verdict = compared.verdict;
        QCOMPARE(*verdict.scaleUp, std::size_t{0});
        QVERIFY(verdict.winner == analysis::Winner::ScaleUp);
        QCOMPARE(verdict.by, std::string(analysis::kTokensPerJoule));
        VERIFY_SAYS(verdict.headline, "both predicted");
        for (std::size_t side = 0; side < 2; ++side) {
            const double best
                = compared.searches[side].top.front().prediction.tokensPerSecondPerGpu;
            bool isTold = false;
            for (const analysis::Statement& one : verdict.statements) {
                if (one.quantity == analysis::kTokensPerGpu)
                    isTold = (side == 0 ? *one.a : *one.b) == best;
            }
            QVERIFY(isTold);
        }
    }

    void clusterThatNothingFitsOn() {
        SearchRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-70b");
        request.cluster = clusterFrom("8x8xH100").value();
        request.globalBatch = 64;
        const auto compared = compareScales(request, clusterFrom("1x8xV100").value()).value();
        QVERIFY(compared.searches[1].top.empty());
        QVERIFY(compared.verdict.winner == analysis::Winner::Undecided);
        VERIFY_SAYS(compared.verdict.headline, "ran out of memory");
    }

    // 100 W for eight GPUs, whose lowest clock takes more: memory is not what refuses.
    void clustersWhosePowerIsNotKept() {
        SearchRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-8b");
        request.cluster = clusterFrom("1x8xH100").value();
        request.globalBatch = 64;
        request.powerLimitW = 100.0;
        const auto compared = compareScales(request, clusterFrom("2x8xA100").value()).value();
        for (const SearchResult& search : compared.searches) {
            QVERIFY(search.top.empty());
            QVERIFY(search.refusedBy(Refusal::Memory) > 0);
            QVERIFY(!search.nearest);
            QVERIFY(*search.leastPowerW > 100.0);
        }
        QVERIFY(compared.verdict.winner == analysis::Winner::Undecided);
        QVERIFY(compared.verdict.headline.find("memory") == std::string::npos);
        QCOMPARE(compared.measures[0].why("step_time_s"),
            std::string("No layout keeps the limit of power."));
    }
};

TRAINSCOPE_TEST(tst_WhatIf)
#include "tst_WhatIf.moc"
