// Calibration on planted truth: machines whose constants differ from the table's by known factors.

#include "core/predict/calibration/Calibration.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

namespace {

Job jobFor(const char* model, const char* cluster, const char* layout, int microBatch) {
    const auto catalogue = catalogue::modelCatalogue();
    JobRequest request;
    request.model = *catalogue.byName(model);
    request.cluster = clusterFrom(cluster).value();
    request.layout = layoutFrom(layout).value();
    request.microBatch = microBatch;
    request.globalBatch = 256;
    request.sequence = 4096;
    return jobOf(request).value();
}

std::vector<Job> manyJobs() {
    std::vector<Job> jobs;
    for (const char* model : {"llama3-8b", "llama2-13b", "llama3-70b", "gpt3-30b"}) {
        for (const char* cluster : {"16xH100", "64xH100", "32xA100 SXM4 80GB"}) {
            for (const char* layout : {"tp=1", "tp=2", "tp=8", "tp=4,pp=2", "tp=2,pp=4"}) {
                for (const int microBatch : {1, 2, 4})
                    jobs.push_back(jobFor(model, cluster, layout, microBatch));
            }
        }
    }
    return jobs;
}

double secondsOf(const Job& job, const RateFactors& factors = {}) {
    const Rates rates = RateTable::builtIn().ratesOf(job, factors).value();
    return predictStep(job, rates).value().seconds;
}

// Measured on machines with these factors, off by a lognormal `noise`.
std::vector<MeasuredJob> measured(const RateFactors& truth, double noise) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::vector<MeasuredJob> rows;
    for (const Job& job : manyJobs())
        rows.push_back(
            {job, secondsOf(job, truth) * std::exp(noise * normal(random)), "planted", 0.0});
    return rows;
}

} // namespace

class tst_Calibration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedFactorsAreFound() {
        const RateFactors truth{{"gpu/H100 SXM5/gemm_16", 0.88},
            {"gpu/A100 SXM4 80GB/gemm_16", 1.1}, {"gpu/H100 SXM5/link", 0.7}};
        const auto rows = measured(truth, 0.01);
        const RateFactors found
            = fitRateFactors(rows, RateTable::builtIn(), {}, {.noise = 0.01}).factors;
        QVERIFY(std::abs(found.at("gpu/H100 SXM5/gemm_16") / 0.88 - 1.0) < 0.03);
        QVERIFY(std::abs(found.at("gpu/A100 SXM4 80GB/gemm_16") / 1.1 - 1.0) < 0.03);
        QVERIFY(std::abs(found.at("gpu/H100 SXM5/link") / 0.7 - 1.0) < 0.15);
        for (const MeasuredJob& row : rows)
            QVERIFY(std::abs(secondsOf(row.job, found) / row.seconds - 1.0) < 0.05);
    }

    // Three rows that took twice as long as they should do not bend the constants, and are not
    // copied to the rows beside them.
    void outliersAreNotCopied() {
        auto rows = measured({}, 0.01);
        for (const std::size_t wrong : {10U, 70U, 130U})
            rows[wrong].seconds *= 2.0;
        const Calibration calibration = Calibration::of(rows);
        const auto others = calibration.residuals().leftOut();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double seconds = secondsOf(rows[i].job, calibration.factors())
                * std::exp(calibration.residuals().of(rows[i].job, "planted").log);
            const double truth = secondsOf(rows[i].job);
            QVERIFY2(std::abs(seconds / truth - 1.0) < (i % 60 == 10 ? 0.35 : 0.04),
                qPrintable(QStringLiteral("%1: %2").arg(i).arg(seconds / truth)));
        }
        QCOMPARE(others.size(), rows.size());
    }

    // Rows that were left out lie in their intervals of 90 %, whatever the noise.
    void intervalsCover() {
        for (const double noise : {0.03, 0.08}) {
            const auto rows = measured({{"gpu/H100 SXM5/gemm_16", 0.9}}, noise);
            const Calibration calibration = Calibration::of(rows);
            const auto others = calibration.residuals().leftOut();
            const auto& logs = calibration.residuals().logs();
            int covered = 0;
            for (std::size_t i = 0; i < rows.size(); ++i)
                covered
                    += std::abs(logs[i] - others[i].log) <= 1.645 * others[i].spread.own ? 1 : 0;
            const double share = 1.0 * covered / static_cast<double>(rows.size());
            QVERIFY2(share > 0.85 && share < 0.97, qPrintable(QString::number(share)));
        }
    }

    // An H100's constants were fitted, an MI300X's were not.
    void whatIsEstimatedIsWider() {
        const double known
            = spreadOf(jobFor("llama3-8b", "8xH100", "tp=2", 2), RateTable::builtIn()).total();
        const double guessed
            = spreadOf(jobFor("llama3-8b", "8xMI300X", "tp=2", 2), RateTable::builtIn()).total();
        QVERIFY(known > 0.03 && known < 0.08);
        QVERIFY(guessed > 1.5 * known);
    }

    void nothingMeasuredIsNothingChanged() {
        const Calibration calibration = Calibration::of({});
        QVERIFY(calibration.factors().empty());
        QVERIFY(calibration.residuals().isEmpty());
        const Correction correction
            = calibration.residuals().of(jobFor("llama3-8b", "8xH100", "tp=2", 2));
        QCOMPARE(correction.log, 0.0);
    }

    // A row of a table whose time is 0 tells nothing, and takes nothing from the others.
    void rowsWithoutTimeTellNothing() {
        std::vector<MeasuredJob> rows = measured({}, 0.02);
        rows.erase(rows.begin() + 8, rows.end());
        const Calibration known = Calibration::of(rows);
        rows.push_back(rows.front());
        rows.back().seconds = 0.0;
        const Calibration more = Calibration::of(rows);
        QCOMPARE(more.rows().size(), known.rows().size());
        for (const auto& [name, factor] : known.factors())
            QVERIFY2(std::abs(more.factors().at(name) / factor - 1.0) < 1e-9, name.c_str());
    }

    // Corrections by neighbours are in the parts too, which add up to the corrected step.
    void partsAddUpToTheCorrectedStep() {
        std::vector<MeasuredJob> rows = measured({}, 0.0);
        rows.erase(rows.begin() + 6, rows.end());
        for (MeasuredJob& row : rows)
            row.seconds *= 1.3;
        const Predictor predictor(RateTable::builtIn(), Calibration::of(rows));
        const Prediction made = predictor.predict(rows.front().job).value();
        QVERIFY(std::abs(made.seconds / made.step.seconds - 1.0) > 1e-6);
        QVERIFY(std::abs(made.breakdown().total() / made.seconds - 1.0) < 1e-9);
    }
};

TRAINSCOPE_TEST(tst_Calibration)
#include "tst_Calibration.moc"
