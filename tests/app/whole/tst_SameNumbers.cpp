// Every number once: what the places of the program show of one quantity, of one subject, in one
// window is one number, to the last digit that each shows. All recordings beside the checkout are
// imported as a user would drop them, and asked for in each place.

#include "app/cli/support/RunCli.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/whole/support/EnergySums.h"
#include "app/whole/support/Places.h"
#include "app/whole/support/Sentences.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope;
using namespace trainscope::test;

namespace {

// A folder of `data` that is dropped on the window as it is: each becomes a database of its own, as
// runs of strangers that are called alike would join in one. Left out are those without recordings
// (tables of operators, limits and reports, dashboards, the machine's topology) and, of those that
// are alike, all but the first.
struct Dropped {
    const char* folder;
    std::vector<const char*> parts = {}; // parts of it; none: all
};
const std::vector<Dropped>& dropped() {
    static const std::vector<Dropped> kDropped{{"h100_recording/training"},
        {"h100_recording/phases"}, {"amd_smi"}, {"dcgm"}, {"nvidia_smi"}, {"mlperf_power"},
        {"nsys"}, {"prometheus"}, {"straggler_analysis"}, {"wandb"},
        {"chakra_et", {"param_resnet_2gpu_et.json.gz", "megatron_tp2_pytorch_et_0.json"}},
        {"train_logs"},
        {"kineto",
            {"astra_megatron_tp8", "megatron_tp2_v100", "modded_nanogpt", "hta_alexnet.json.gz",
                "hta_cupti_profiler.json.gz", "hta_sampled_rank-0.json.gz",
                "hta_sampled_rank-1.json.gz", "hta_trace_diff_control.json.gz",
                "hta_nccl_data.json.gz", "tracelens_b200_eager.json.gz",
                "tracelens_h100_qwen.json.gz", "tracelens_mi300_ddp_resnet18.json.gz",
                "tracelens_mi300_resnet_act_checkpoint.json.gz"}},
        {"wild_small"}};
    return kDropped;
}

} // namespace

class tst_SameNumbers : public QObject, OpenDatabase {
    Q_OBJECT

    std::vector<ShownNumber> m_numbers; // the recording's
    std::vector<std::string> m_wrong; // sums of energies and sentences
    std::size_t m_shared = 0; // quantities in several places, of all recordings
    std::size_t m_recordings = 0;

    // False where nothing could be read.
    bool import(const Dropped& dropped) {
        const std::string folder = realFiles() + "/data/" + dropped.folder;
        std::vector<std::string> arguments{"import"};
        for (const char* part : dropped.parts)
            arguments.push_back(folder + '/' + part);
        if (dropped.parts.empty())
            arguments.push_back(folder);
        arguments.insert(arguments.end(), {"--into", m_path.string()});
        return runCli(arguments).status <= 1;
    }

    void collect(const store::Store& store, const std::vector<Run>& runs) {
        const std::string database = m_path.string();
        const analysis::RunStudies studies(store);
        std::vector<AskedRun> asked;
        for (const Run& run : runs) {
            asked.push_back(askedRun(database, studies, run));
            for (const Place& place : kPlaces) {
                PlaceNumbers numbers(place.name, m_numbers);
                place.collect(asked.back(), numbers);
            }
            PlaceNumbers numbers("inspector", m_numbers);
            collectInspector(*m_workspace, asked.back(), numbers);
            for (const auto& wrong : {wrongEnergySums(asked.back()), wrongSentences(asked.back())})
                m_wrong.insert(m_wrong.end(), wrong.begin(), wrong.end());
        }
        PlaceNumbers numbers("Data", m_numbers);
        collectRunTable(*m_workspace, asked, numbers);
    }

private Q_SLOTS:
    void initTestCase() {
        if (realFiles().empty())
            QSKIP("the recordings are not beside the checkout");
    }
    void cleanup() { close(); }

    void everyPlaceSaysTheSame_data() {
        const auto row = columns<int>("place");
        for (std::size_t i = 0; i < dropped().size(); ++i)
            row(dropped()[i].folder, static_cast<int>(i));
    }
    void everyPlaceSaysTheSame() {
        QFETCH(int, place);
        const Dropped& recording = dropped()[static_cast<std::size_t>(place)];
        m_numbers.clear();
        m_wrong.clear();
        QVERIFY(make([place](const std::filesystem::path& folder) {
            return folder / fmt::format("{}.trainscope", place);
        }));
        QVERIFY(import(recording));
        QVERIFY(openWorkspace());
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly);
        QVERIFY(store.hasValue());
        const auto runs = store.value().runs();
        QVERIFY(runs.hasValue() && !runs.value().empty());
        collect(store.value(), runs.value());
        m_shared += sharedQuantities(m_numbers);
        ++m_recordings;
        for (const std::string& wrong : m_wrong)
            qWarning("%s", wrong.c_str());
        const auto contradictions = contradictionsIn(m_numbers);
        for (const Contradiction& one : contradictions)
            qWarning("%s", one.wording().c_str());
        QVERIFY(contradictions.empty());
        QVERIFY(m_wrong.empty());
    }
    // Most of what one place shows stands elsewhere too.
    void manyNumbersAreCompared() {
        if (m_recordings < dropped().size())
            QSKIP("not all recordings were asked");
        QVERIFY2(m_shared > 1000, std::to_string(m_shared).c_str());
    }

    // The comparison finds a number that is wrong by one in its last digit.
    void aPlantedContradictionIsFound() {
        std::vector<ShownNumber> numbers;
        PlaceNumbers("exact", numbers).add("a", kWholeRun, "energy_j", 12'345.6);
        PlaceNumbers rounded("rounded", numbers);
        rounded.read("a", kWholeRun, "energy_j", "The GPU took 12.3 kJ in 2 min 33 s", "J");
        QCOMPARE(numbers.size(), 2U);
        QVERIFY(contradictionsIn(numbers).empty());
        rounded.read("b", kWholeRun, "energy_j", "12.4 kJ", "J"); // another run
        rounded.read("a", "iterations 2 to 9", "energy_j", "12.4 kJ", "J"); // another window
        QVERIFY(contradictionsIn(numbers).empty());
        rounded.read("a", kWholeRun, "energy_j", "12.4 kJ", "J");
        const auto found = contradictionsIn(numbers);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found.front().wording(),
            std::string("a · energy_j · the run: exact 12345.6, but rounded '12.4 kJ'"));
    }
    void numbersAreReadFromTexts() {
        const auto read = [](const char* text) {
            std::string all;
            for (const TextNumber& one : numbersIn(text))
                all += fmt::format("{:.6g} {} ± {:.6g};", one.value, one.unit, one.step / 2.0);
            return all;
        };
        QCOMPARE(read("2 min 33 s"), std::string("153 s ± 0.5;"));
        QCOMPARE(read("1 h 2 min, 3.5 ms"), std::string("3720 s ± 30;0.0035 s ± 5e-05;"));
        QCOMPARE(
            read("18.6 % of 1.755 GHz"), std::string("0.186 1 ± 0.0005;1.755e+09 Hz ± 500000;"));
        QCOMPARE(read("<0.1 %"), std::string("0.0005 1 ± 0.0005;"));
        QCOMPARE(read("5.56 M"), std::string("5.56e+06 1 ± 5000;"));
        QCOMPARE(read("12.07 kJ (11.6 to 12.5)"),
            std::string("12070 J ± 5;11.6 1 ± 0.05;12.5 1 ± 0.05;"));
        QCOMPARE(read("sm90_gemm_16x8 by H100, −40 °C"), std::string("-40 °C ± 0.5;"));
    }
};

TRAINSCOPE_GUI_TEST(tst_SameNumbers)
#include "tst_SameNumbers.moc"
