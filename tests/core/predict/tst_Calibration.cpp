// Calibration on planted truth: machines whose constants differ from the table's by known factors.

#include "core/predict/calibration/Calibration.h"
#include "core/predict/calibration/RateFit.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/support/CatalogueJob.h"
#include "core/predict/support/PlantedRuns.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

Job jobFor(const char* model, const char* cluster, const char* layout, int microBatch) {
    JobRequest request = test::jobRequest(model, cluster, layout, 256, 4096);
    request.microBatch = microBatch;
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

    // Calibration by runs of a database: what was planted in them is found again, and a job that
    // was not among them is predicted as the planted machine would run it.

    void initTestCase() {
        auto store = store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("planted.trainscope")).toStdString());
        QVERIFY(store.hasValue());
        m_store.emplace(std::move(store).value());
        QVERIFY(test::writePlantedRuns(*m_store));
        auto found = calibrationOf(*m_store);
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        m_found.emplace(std::move(found).value());
    }

    void everyRunIsARow() {
        QCOMPARE(m_found->runs.size(), std::size_t{8});
        QCOMPARE(m_found->jobs(), std::size_t{8});
        for (const MeasuredRun& run : m_found->runs) {
            QVERIFY2(run.job.has_value(), run.refused.c_str());
            QCOMPARE(run.gpus.size(), std::size_t{8});
        }
    }

    void theSpeedIsFound() {
        const double factor = m_found->steps->factors().at("gpu/H100 SXM5/gemm_16");
        // The sizes at which products lose speed, and other constants, take a part of it.
        VERIFY_RATIO(factor, test::kPlantedSpeed, 0.05);
        const auto told = toldFactors(m_found->steps->fit());
        QVERIFY(told.size() < 12);
        QVERIFY(std::any_of(told.begin(), told.end(),
            [](const FittedFactor& one) { return one.name == "gpu/H100 SXM5/gemm_16"; }));
        for (const FittedFactor& one : told)
            QVERIFY2(!meaningOf(factorNameOf(one.name).key).empty(), one.name.c_str());
    }

    void powerAndHeatAreFound() {
        const PowerBasis& basis = m_found->powers->at("H100 SXM5");
        VERIFY_NEAR(basis.gpu.idleW, test::kPlantedIdleW, 4.0);
        VERIFY_RATIO(basis.gpu.thermal.resistance, test::kPlantedResistance, 0.05);
        QVERIFY(basis.air && std::abs(basis.air->inletC - 21.0) < 1.5);
        QVERIFY2(std::abs(basis.demandFactor - 1.0) < 0.06,
            qPrintable(QString::number(basis.demandFactor)));
        VERIFY_SAYS(basis.source, "planted tp=2 1");
    }

    void anotherJobIsAsTheMachineWouldRunIt() {
        const Job job = test::plantedJob("llama2-13b", "tp=4", 1);
        const Prediction truth = test::plantedPrediction(job);
        const Prediction usual = Predictor().predict(job).value();
        const Prediction made = m_found->predictor().predict(job).value();
        QVERIFY(usual.seconds < 0.95 * truth.seconds);
        VERIFY_RATIO(made.seconds, truth.seconds, 0.02);
        QVERIFY(made.low < truth.seconds && truth.seconds < made.high);
        PowerBasis planted = powerBasisOf(job.machine.gpu);
        planted.gpu = truth.power.gpu;
        const Outlook outlook = outlookOf(job, truth.step, planted);
        QVERIFY(std::abs(made.outlook.meanW / outlook.meanW - 1.0) < 0.03);
        QVERIFY(std::abs(made.outlook.hottestC - outlook.hottestC) < 2.0);
        QVERIFY(made.intervals.hottestC.high - made.intervals.hottestC.low
            < usual.intervals.hottestC.high - usual.intervals.hottestC.low);
        QCOMPARE(made.power.source, m_found->powers->at("H100 SXM5").source);
    }

    void residualsAreTold() {
        const auto residuals = residualsOf(*m_found);
        QCOMPARE(residuals.size(), std::size_t{8});
        for (const RunResidual& run : residuals) {
            QVERIFY(std::abs(*run.predictedSeconds / *run.seconds - 1.0) < 0.02);
            QVERIFY(std::abs(*run.predictedW / *run.meanW - 1.0) < 0.05);
            QCOMPARE(run.gpus.size(), std::size_t{8});
        }
    }

    // Other GPUs keep the catalogue's constants.
    void otherGpusAreAsBefore() {
        Job job = test::plantedJob("llama3-8b", "tp=2", 1);
        job.machine.gpu = *catalogue::findGpuModel("MI300X");
        const Prediction usual = Predictor().predict(job).value();
        const Prediction made = m_found->predictor().predict(job).value();
        QVERIFY(made.power.source.empty());
        QCOMPARE(made.power.gpu.idleW, usual.power.gpu.idleW);
        QVERIFY(std::abs(made.seconds / usual.seconds - 1.0) < 0.05);
        QVERIFY((made.high / made.low) > 0.9 * (usual.high / usual.low));
    }

    void whatWasNotMeasuredIsRefused() {
        QTemporaryDir folder;
        auto store = store::Store::openOrCreate(
            folder.filePath(QStringLiteral("p.trainscope")).toStdString());
        const Job job = test::plantedJob("llama3-8b", "tp=8", 1);
        const Prediction made = Predictor().predict(job).value();
        QVERIFY(writePrediction(store.value(), "mine", job, made).hasValue());
        const auto run = store.value().findRun("mine");
        const auto measured = measuredRun({store.value(), run.value()});
        QVERIFY(!measured.hasValue() && measured.error().code == ErrorCode::Usage);
        const auto none = calibrationOf(store.value());
        QVERIFY(none.hasValue() && none.value().runs.empty() && none.value().jobs() == 0);
    }

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    std::optional<RunCalibration> m_found;
};

TRAINSCOPE_TEST(tst_Calibration)
#include "tst_Calibration.moc"
