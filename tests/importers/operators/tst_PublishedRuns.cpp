// GPT-NeoX runs whose layers, stages and steps were published with the operator samples, composed
// from the samples by a way of its own, and by the program from the rows of a table.

#include "core/predict/step/Step.h"
#include "importers/operators/TimingFolder.h"
#include "importers/trainingtable/TrainingTable.h"
#include "support/PublishedComposition.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

std::vector<importers::TableRow> rowsOfTheTable() {
    std::ifstream file(test::realFiles() + "/data/measured_training.csv");
    std::ostringstream text;
    text << file.rdbuf();
    return importers::readTrainingTable(text.str(), catalogue::modelCatalogue()).value();
}

const test::PublishedRun* runOf(const Job& job) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    const auto* const found = std::find_if(
        test::kPublishedRuns.begin(), test::kPublishedRuns.end(), [&](const auto& run) {
            return run.hidden == job.model.hidden && run.heads == job.model.heads
                && run.tensor == degrees.tensor && run.stages == degrees.pipeline
                && run.data == degrees.data && job.machine.site == run.fabric;
        });
    return found == test::kPublishedRuns.end() ? nullptr : &*found;
}

constexpr double kMilli = 1e-3;

double errorOf(double predicted, double measured) {
    return 100.0 * (predicted / measured - 1.0);
}

class Mean {
public:
    void add(double value) {
        m_sum += std::abs(value);
        ++m_count;
    }
    [[nodiscard]] double value() const { return m_sum / m_count; }

private:
    double m_sum = 0.0;
    int m_count = 0;
};

} // namespace

class tst_PublishedRuns : public QObject {
    Q_OBJECT

    std::optional<Profile> m_profile;

private Q_SLOTS:
    void initTestCase() {
        const std::string samples = test::realFiles() + "/data/operator_samples";
        if (test::realFiles().empty() || !std::filesystem::exists(samples))
            QSKIP("the published samples are not beside the checkout: nothing was tested");
        const auto tree = importers::openDiskTree(samples);
        QVERIFY(tree.hasValue());
        const auto folder = importers::operators::readTimings(
            *tree.value(), [](const ProgressState&) { return true; });
        QVERIFY(folder.hasValue());
        auto profile = makeProfile(folder.value().timings, samples);
        QVERIFY(profile.hasValue());
        m_profile = std::move(profile).value();
    }

    // Without the two terms, the samples give what was published of them.
    void bareSamplesGiveThePublishedErrors() {
        Profile bare = *m_profile;
        for (GpuProfile& gpu : bare.gpus)
            gpu.stack = {};
        for (const test::PublishedRun& run : test::kPublishedRuns) {
            const test::Composition composed(run, bare);
            const double error = errorOf(composed.step, run.step);
            QVERIFY2(std::abs(error - run.publishedError) < 2.5,
                qPrintable(QStringLiteral("%1: %2 %").arg(QLatin1String(run.name)).arg(error)));
        }
    }

    void layersAreAsMeasured() {
        Mean forward;
        Mean backward;
        for (const test::PublishedRun& run : test::kPublishedRuns) {
            const test::Composition composed(run, *m_profile);
            const double f = errorOf(composed.layer.forward, run.layerForward * kMilli);
            const double b = errorOf(composed.layer.backward, run.layerBackward * kMilli);
            qInfo("%s: layer %+.1f %% %+.1f %%, all-reduce %+.1f %%, gradients %+.1f %%", run.name,
                f, b, errorOf(composed.allReduce, run.allReduce * kMilli),
                errorOf(composed.gradients, run.gradients * kMilli));
            forward.add(f);
            backward.add(b);
            QVERIFY(std::abs(f) < 4.0);
            QVERIFY(std::abs(b) < 4.0);
            QVERIFY(std::abs(errorOf(composed.allReduce, run.allReduce * kMilli)) < 6.0);
        }
        QVERIFY(forward.value() < 2.5);
        QVERIFY(backward.value() < 2.5);
    }

    // Stages were published as errors of predictions alone, which the bare samples give again: what
    // was measured is such a prediction over one and its error.
    void stagesAreAsMeasured() {
        Profile bare = *m_profile;
        for (GpuProfile& gpu : bare.gpus)
            gpu.stack = {};
        Mean forward;
        Mean backward;
        for (const test::PublishedRun& run : test::kPublishedRuns) {
            const test::Composition composed(run, *m_profile);
            const test::Composition published(run, bare);
            const auto ofMeasured = [](double made, double told, double error) {
                return errorOf(made, told / (1.0 + error / 100.0));
            };
            const double f = ofMeasured(
                composed.stageForward, published.stageForward, run.publishedStageForward);
            const double b = ofMeasured(
                composed.stageBackward, published.stageBackward, run.publishedStageBackward);
            qInfo("%s: slowest stage %+.1f %% %+.1f %% (published %+.1f %% %+.1f %%), transfer "
                  "%+.1f %%",
                run.name, f, b, run.publishedStageForward, run.publishedStageBackward,
                errorOf(composed.send, run.send * kMilli));
            forward.add(f);
            backward.add(b);
            QVERIFY(std::abs(f) < std::max(5.0, std::abs(run.publishedStageForward)));
            QVERIFY(std::abs(b) < std::max(5.0, std::abs(run.publishedStageBackward)));
            const double most = run.layers[1];
            QVERIFY(composed.stageForward >= most * composed.layer.forward);
            QVERIFY(composed.stageForward < 1.2 * most * composed.layer.forward);
            QVERIFY(composed.stageBackward >= most * composed.layer.backward);
            QVERIFY(composed.stageBackward < 1.1 * most * composed.layer.backward);
        }
        qInfo("stages: forward %.1f %%, backward %.1f %%", forward.value(), backward.value());
        QVERIFY(forward.value() < 4.0);
        QVERIFY(backward.value() < 4.0);
    }

    // The same layers and transfers as the program has them of the rows of the table.
    void layersOfThePrograms() {
        const ProfiledCosts costs(*m_profile);
        Mean forward;
        Mean backward;
        int found = 0;
        for (const importers::TableRow& row : rowsOfTheTable()) {
            const test::PublishedRun* run = row.job ? runOf(*row.job) : nullptr;
            const auto sampled = run != nullptr
                ? costs.costsOf(*row.job, RateTable::builtIn().ratesOf(*row.job).value())
                : std::nullopt;
            if (!sampled)
                continue;
            ++found;
            const LayerCosts layers = layerCostsOf(
                *row.job, sampled->rates, *sampled->operators, *sampled->collectives);
            const PieceCost& layer = layers.dense.cost;
            const double f = errorOf(layer.forward.total(), run->layerForward * kMilli);
            const double b = errorOf(layer.backward.total(), run->layerBackward * kMilli);
            qInfo("row %d %s: layer %+.1f %% %+.1f %%", row.row, run->name, f, b);
            forward.add(f);
            backward.add(b);
        }
        qInfo("%d rows: layers forward %.1f %%, backward %.1f %%", found, forward.value(),
            backward.value());
        QVERIFY(found >= 5);
        QVERIFY(forward.value() < 4.0);
        QVERIFY(backward.value() < 4.0);
    }

    void stepsAreAsMeasured() {
        std::map<std::string, Mean> means;
        for (const test::PublishedRun& run : test::kPublishedRuns) {
            const double error = errorOf(test::Composition(run, *m_profile).step, run.step);
            qInfo("%s: step %+.2f %% (published %+.2f %%)", run.name, error, run.publishedError);
            means[run.gpu].add(error);
        }
        QVERIFY2(means["A100"].value() < 3.0, std::to_string(means["A100"].value()).c_str());
        QVERIFY2(means["GH200"].value() < 4.5, std::to_string(means["GH200"].value()).c_str());
    }

    // The program's own way, of all rows of the table that name these systems: jobs of one
    // configuration on Vista differ by 18 %.
    void rowsOfTheTableArePredicted() {
        const ProfiledCosts costs(*m_profile);
        std::map<std::string, Mean> fastest;
        std::map<std::string, Mean> median;
        int elsewhere = 0;
        for (const importers::TableRow& row : rowsOfTheTable()) {
            if (!row.job)
                continue;
            const auto rates = RateTable::builtIn().ratesOf(*row.job);
            QVERIFY(rates.hasValue());
            const auto sampled = costs.costsOf(*row.job, rates.value());
            if (!sampled) {
                ++elsewhere;
                continue;
            }
            VERIFY_SAYS(row.source, "GPUModeling25");
            const auto step
                = predictStep(*row.job, sampled->rates, *sampled->operators, *sampled->collectives);
            QVERIFY(step.hasValue());
            const double error = errorOf(step.value().seconds, *row.measured.seconds);
            qInfo("row %d %s on %s: %.3f s, %+.2f %%", row.row, row.job->model.name.c_str(),
                row.job->machine.gpu.name.c_str(), step.value().seconds, error);
            const std::string gpu = row.job->machine.gpu.name;
            fastest[gpu].add(error);
            if (row.measured.medianSeconds)
                median[gpu].add(errorOf(step.value().seconds, *row.measured.medianSeconds));
        }
        QVERIFY(elsewhere > 150); // rows of other A100 are not of this fabric
        for (const auto& [gpu, mean] : fastest)
            qInfo("%s: %.2f %% of the fastest iteration, %.2f %% of the median", gpu.c_str(),
                mean.value(), median[gpu].value());
        QVERIFY(fastest["A100 SXM4 80GB"].value() <= 3.0);
        QVERIFY(fastest["GH200"].value() <= 7.0);
        QVERIFY(median["A100 SXM4 80GB"].value() <= 3.5);
    }
};

TRAINSCOPE_TEST(tst_PublishedRuns)
#include "tst_PublishedRuns.moc"
