// Searches with operator samples and with a calibration: what they rank is what predictions with
// the same say.

#include <QtTest>

#include "core/predict/search/Search.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

SearchRequest smallSearch() {
    SearchRequest request;
    request.model = *catalogue::modelCatalogue().byName("llama2-7b");
    request.cluster = clusterFrom("1x8xA100").value();
    request.globalBatch = 32;
    request.sequence = 2048;
    return request;
}

// Products that reach half of the A100's peak.
std::shared_ptr<const ProfiledCosts> slowProducts() {
    GpuProfile gpu{"A100 SXM4 80GB", "samples", 312e12, 2.039e12, {}, {}};
    SampledFamily products{.name = "gemm", .kind = OperatorKind::Gemm};
    for (const double m : {512.0, 2048.0, 8192.0}) {
        for (const double n : {512.0, 4096.0, 16384.0}) {
            Operator work{.kind = OperatorKind::Gemm, .m = m, .n = n, .k = 4096.0};
            const double seconds = 2.0 * m * n * 4096.0 / 156e12;
            products.samples.push_back({work, seconds, 2.0 * seconds});
        }
    }
    gpu.families.push_back(std::move(products));
    Profile profile;
    profile.gpus.push_back(std::move(gpu));
    profile.fabrics.push_back({"lab", "A100 SXM4 80GB", {}});
    return std::make_shared<const ProfiledCosts>(std::move(profile));
}

Job jobFor(const SearchRequest& request, const char* layout, int microBatch) {
    JobRequest asked;
    asked.model = request.model;
    asked.cluster = request.cluster;
    asked.layout = layoutFrom(layout).value();
    asked.microBatch = microBatch;
    asked.globalBatch = request.globalBatch;
    asked.sequence = request.sequence;
    return jobOf(asked).value();
}

// Rows that say otherwise than the constants: some layouts take longer, others less.
Calibration contraryRows(const SearchRequest& request) {
    std::vector<MeasuredJob> rows;
    const auto add = [&](const char* layout, int microBatch, double factor) {
        const Job job = jobFor(request, layout, microBatch);
        const double seconds = Predictor().predict(job).value().seconds;
        rows.push_back({job, factor * seconds, "lab", 0.0, false});
    };
    add("tp=1", 1, 1.15);
    add("tp=1", 2, 1.2);
    add("tp=2", 1, 0.95);
    add("tp=4", 1, 0.85);
    add("tp=4", 2, 0.86);
    add("tp=2,pp=2", 1, 0.9);
    add("pp=4", 1, 1.1);
    return Calibration::of(rows);
}

// The best are in order, each as it is predicted alone, and nothing else is better.
void verifyRanking(const SearchRequest& request, const Predictor& predictor) {
    const auto found = searchLayouts(request, predictor).value();
    QVERIFY(found.isProven);
    QCOMPARE(found.top.size(), request.top);
    for (const RankedLayout& one : found.top) {
        const auto job = jobOf(request, one.choice).value();
        QCOMPARE(one.prediction.seconds, predictor.predict(job).value().seconds);
    }
    std::vector<double> all;
    for (const LayoutEstimate& one : found.feasible) {
        const auto job = jobOf(request, one.choice).value();
        all.push_back(predictor.predict(job).value().seconds);
        QVERIFY(std::abs(one.seconds / predictor.estimate(job).value().seconds - 1.0) < 1e-9);
        QVERIFY(predictor.correctionOf(job) >= predictor.leastCorrectionOf(job) - 1e-12);
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < found.top.size(); ++i)
        QCOMPARE(found.top[i].prediction.seconds, all[i]);
}

} // namespace

class tst_SearchCosts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesAreUsed() {
        SearchRequest request = smallSearch();
        const auto shipped = searchLayouts(request).value();
        Predictor predictor;
        const auto profile = slowProducts();
        predictor.use(profile);
        request.cluster.site = profile->onlyFabricOf(request.cluster.gpu.name);
        QCOMPARE(request.cluster.site, std::string("lab"));
        const auto found = searchLayouts(request, predictor).value();
        QVERIFY(found.top.front().prediction.isSampled);
        QVERIFY(found.top.front().prediction.seconds > shipped.top.front().prediction.seconds);
        verifyRanking(request, predictor);
    }

    // A site that the profile does not have is searched with the constants.
    void otherSitesAreNot() {
        SearchRequest request = smallSearch();
        Predictor predictor;
        predictor.use(slowProducts());
        request.cluster.site = "elsewhere";
        const auto found = searchLayouts(request, predictor).value();
        QVERIFY(!found.top.front().prediction.isSampled);
    }

    void calibrationIsUsed() {
        const SearchRequest request = smallSearch();
        const Predictor predictor(RateTable::builtIn(), contraryRows(request));
        verifyRanking(request, predictor);
    }
};

TRAINSCOPE_TEST(tst_SearchCosts)
#include "tst_SearchCosts.moc"
