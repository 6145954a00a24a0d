// Each rule speaks from its threshold on, not before it, and says the numbers that were planted; a
// clean run gives none.

#include "core/analysis/findings/CleanRun.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

using Change = std::function<void(RunFacts&, double)>;
struct Case {
    const char* rule;
    double below; // does not speak
    double above; // speaks
    Change change;
    std::vector<std::string> words; // words of the sentence above
    std::map<std::string, double> values; // above
    int rank = -1;
};

std::vector<Case> dataCases() {
    return {
        {"out_of_memory", 0, 1,
            [](RunFacts& f, double x) { f.run.status = x > 0.5 ? RunStatus::Oom : RunStatus::Ok; },
            {"out-of-memory"}, {{"duration_s", 100}}, -1},
        {"missing_ranks", 32, 34,
            [](RunFacts& f, double x) { f.run.worldSize = static_cast<int>(x); },
            {"2 of 34 ranks: 32-33"}, {{"missing", 2}, {"ranks", 34}}, 32},
        {"low_coverage", 0.951, 0.94,
            [](RunFacts& f, double x) {
                f.whole.energy->coverage = x;
                f.whole.gpus[5].energy->coverage = 0.2;
            },
            {"94 %", "20 % on rank 5", "1.92 MJ"}, {{"coverage", 0.94}, {"least_coverage", 0.2}},
            5},
        {"missing_samples", 49, 51,
            [](RunFacts& f, double x) {
                f.whole.gpus[7].metrics["sm_clock"].missing = static_cast<std::int64_t>(x);
            },
            {"51 of 1000 samples of sm_clock on rank 7"}, {{"share", 0.051}}, 7},
        {"warmup", 0, 1, [](RunFacts& f, double x) { f.iterations.iterations[0].warmup = x > 0.5; },
            {"1 of 4 iterations, 25 %"}, {{"warmup_iterations", 1}, {"share", 0.25}}, -1},
        {"averaging_sensor", 0, 1,
            [](RunFacts& f, double x) {
                f.power[3].description.sensor
                    = x > 0.5 ? SensorKind::Averaged : SensorKind::Unknown;
            },
            {"1 of 32 GPUs is a running average over 1 s: peaks"}, {{"averaged_gpus", 1}}, 3},
        {"averaging_sensor", 3.9, 4.1,
            [](RunFacts& f, double x) {
                f.efficiency.stepTimeS = 8.0;
                f.powerSensor = Sensor{};
                f.powerSensor->update = {x, 0.01, false, true};
            },
            {"has a new value every 4.1 s, against iterations of 8 s"},
            {{"update_s", 4.1}, {"iteration_s", 8}, {"averaged_gpus", 0}}, 0},
        {"implausible_mfu", 0.99, 1.7,
            [](RunFacts& f, double x) {
                f.efficiency.mfu = x;
                f.efficiency.flopsPerGpu = x * 989e12;
                f.efficiency.peakFlops = 989e12;
                f.efficiency.stepTimeS = 2.0;
            },
            {"MFU of 170 %", "1681 TFLOP/s per GPU against a peak of 989 TFLOP/s", "(2 s)"},
            {{"mfu", 1.7}, {"step_time_s", 2}}, -1},
        {"not_settled", 0, 3,
            [](RunFacts& f, double x) { f.settling->unsettled = static_cast<int>(x); },
            {"3 of 32 GPUs", "100 s"}, {{"unsettled", 3}}, -1}};
}

std::vector<Case> heatCases() {
    return {{"front_rear_gradient", 4.9, 12.3,
                [](RunFacts& f, double x) {
                    for (int rank = 0; rank < 32; ++rank)
                        setMean(f, "gpu_temperature", rank, rank % 8 < 4 ? 60.0 : 60.0 + x);
                    setMean(f, "gpu_temperature", 29, 60.1 + x);
                    setMean(f, "gpu_temperature", 28, 59.9 + x);
                },
                {"12.3 °C hotter", "72.3 °C against 60 °C", "0 % of the time (front: 0 %)"},
                {{"gradient_c", 12.3}, {"front_c", 60.0}, {"rear_throttled", 0.0}}, 29},
        {"throttling", 0.0099, 0.02, throttle,
            {"2 % of the time", "100 % of it for thermal", "0.5 % of their clock", "Rank 13",
                "64 %"},
            {{"fraction", 0.02}, {"thermal_share", 1.0}, {"lost_fraction", 0.005}}, 13},
        // Two of 32 GPUs above 700 W for so much of 100 s; most of it in rank 3.
        {"above_power_limit", 0.0099, 0.02,
            [](RunFacts& f, double x) {
                for (int rank = 0; rank < 32; ++rank) {
                    AboveLimit gpu;
                    gpu.rank = rank;
                    gpu.limitW = 700.0;
                    gpu.source = "catalogue";
                    gpu.coveredSeconds = 100.0;
                    gpu.highestW = 690.0;
                    f.aboveLimit.push_back(gpu);
                }
                f.aboveLimit[3].seconds = 24.0 * 100.0 * x;
                f.aboveLimit[3].share = 24.0 * x;
                f.aboveLimit[3].highestW = 912.0;
                f.aboveLimit[3].steps = {{{{1001 * kSecond}, {1002 * kSecond}}, 800.0},
                    {{{1003 * kSecond}, {1005 * kSecond}}, 912.0}};
                f.aboveLimit[9].seconds = 8.0 * 100.0 * x;
                f.kernelsAbove = {{{"a_gemm", "gemm", 4, {kSecond}}, 820.0}};
            },
            {"700 W (of the model) for 2 % of the time, 64 s in all", "reached 912 W",
                "a_gemm drew most, 820 J"},
            {{"limit_w", 700}, {"seconds", 64}, {"share", 0.02}, {"highest_w", 912}}, 3},
        {"power_swing", 0.099, 0.2, [](RunFacts& f, double x) { swing(f, x, 0.25); },
            {"±1.92 kW at 250 mHz", "20 % of its mean of 19.2 kW", "2 times in each iteration"},
            {{"swing_w", 3840}, {"frequency_hz", 0.25}, {"harmonic", 2}}, -1},
        {"stage_power", 0.049, 0.1,
            [](RunFacts& f, double x) {
                for (int rank = 8; rank < 16; ++rank)
                    setMean(f, "gpu_power", rank, 600.0 * (1.0 + x));
            },
            {"Stage 1 draws the most: 660 W a GPU, 10 % more", "600 W"},
            {{"stage", 1}, {"excess", 0.1}}, 8}};
}

std::vector<Case> balanceCases() {
    return {{"slow_gpu", 0.91, 0.25,
                [](RunFacts& f, double x) { setMean(f, "sm_clock", 9, x * 1.98e9); },
                {"The GPU of rank 9 is at 25 % of the clock", "495 MHz against 1.98 GHz"},
                {{"gpus", 1}, {"worst", 0.495e9}}, 9},
        {"low_power_gpu", 0.81, 0.5,
            [](RunFacts& f, double x) {
                for (int rank = 16; rank < 24; ++rank)
                    setMean(f, "gpu_power", rank, x * 600.0);
            },
            {"All GPUs of node 2 are at 50 % of the power"}, {{"gpus", 8}, {"median", 600}}, 16},
        {"hot_gpu", 9.9, 11,
            [](RunFacts& f, double x) { setMean(f, "gpu_temperature", 2, 60.0 + x); },
            {"rank 2 is 11 °C hotter than the median of the GPUs in that place"}, {{"worst", 71}},
            2},
        {"node_power", 1090, 1110,
            [](RunFacts& f, double x) {
                for (NodeSummary& node : f.whole.nodes)
                    node.metrics["node_power"] = mean(node.node == 2 ? x : 1000.0);
            },
            {"Node 2", "11 % more", "median of 4 nodes"},
            {{"node", 2}, {"power_w", 1110}, {"median_w", 1000}}, -1},
        // Nodes of 800 kJ whose GPUs leave 40 % of it, but for one.
        {"rest_of_node", 0.31, 0.07,
            [](RunFacts& f, double x) {
                for (NodeSummary& node : f.whole.nodes) {
                    node.energy = Energy{800'000.0, 1.0};
                    node.restJoules = (node.node == 1 ? x : 0.4) * 800'000.0;
                }
            },
            {"GPUs of node 1", "7 % are left"},
            {{"node", 1}, {"rest_fraction", 0.07}, {"median_fraction", 0.4}}, -1},
        {"node_imbalance", 0.049, 0.1,
            [](RunFacts& f, double x) {
                f.steady.metrics["gpu_power"].interNodeStd = x * 600.0;
                f.steady.nodes[2].metrics["gpu_power"].mean = 500.0;
            },
            {"600 W a GPU on node 0, 500 W on node 2", "10 % of the mean"}, {{"fraction", 0.1}},
            16},
        // 8 of 32 GPUs carry x, the others share the rest.
        {"pcie_concentration", 0.59, 0.61,
            [](RunFacts& f, double x) {
                for (int rank = 0; rank < 32; ++rank)
                    f.whole.gpus[static_cast<std::size_t>(rank)].metrics["pcie_tx"].total
                        = rank % 4 == 0 ? 100e9 * x / 8 : 100e9 * (1 - x) / 24;
            },
            {"8 of 32 GPUs carry 61 % of the PCIe traffic of 100 GB"}, {{"carriers", 8}}, 28},
        // The peak of an H200 is 450 GB/s.
        {"busy_link", 0.49, 0.9,
            [](RunFacts& f, double x) {
                f.traffic = {{0, "nvlink_rx", 450e9, 10.0}, {0, "nvlink_tx", 900e9, 10.0},
                    {1, "nvlink_rx", x * 4500e9, 10.0}};
            },
            {"NVLink is used to 55 % of its peak while the GPUs are busy, 248 GB/s of 450 GB/s",
                "rank 1, 90 %", "saturation on 1 of 2"},
            {{"utilisation", 0.55}, {"highest_utilisation", 0.9}, {"saturated_gpus", 1}}, 1},
        {"busy_link", 0.049, 0.2, // little traffic says something beside exposed communication
            [](RunFacts& f, double x) {
                f.traffic = {{2, "nvlink_tx", 342e9, 10.0}, {2, "pcie_tx", 1e9, 10.0}};
                for (TracedDevice& device : f.traced)
                    device.exposedS = x;
            },
            {"7.6 % of its peak", "34.2 GB/s of 450 GB/s", "costs 20 % of the step"},
            {{"utilisation", 0.076}, {"exposed_fraction", 0.2}}, 2},
        {"busy_link", 0.49, 0.6, // PCIe 5.0: 63 GB/s
            [](RunFacts& f, double x) {
                f.traffic = {{7, "pcie_rx", x * 630e9, 10.0}};
            },
            {"PCIe is used to 60 % of its peak", "37.8 GB/s of 63 GB/s"}, {{"saturated_gpus", 0}},
            7}};
}

std::vector<Case> traceCases() {
    const auto share = [](double TracedDevice::*seconds) {
        return [seconds](RunFacts& f, double x) {
            for (TracedDevice& device : f.traced)
                device.*seconds = x;
        };
    };
    return {{"exposed_communication", 0.049, 0.2,
                [](RunFacts& f, double x) {
                    for (TracedDevice& device : f.traced) {
                        device.exposedS = x;
                        device.exposedByKindS = {{"all_reduce", x / 4}, {"send_recv", x * 3 / 4}};
                    }
                    f.traced[2].exposedS += 0.01;
                    f.traced[1].exposedS -= 0.01;
                },
                {"costs 20 % of the step; most on rank 2, 21 %", "SendRecv 15 %, AllReduce 5 %"},
                {{"fraction", 0.2}, {"all_reduce_fraction", 0.05}}, 2},
        {"idle_gpu", 0.199, 0.3, share(&TracedDevice::idleS), {"30 % of the traced time"},
            {{"fraction", 0.3}}, 0},
        {"gpu_copies", 0.049, 0.24,
            [](RunFacts& f, double x) {
                for (TracedDevice& device : f.traced) {
                    device.copyS = x;
                    device.copiesS = {{"DtoD", x}, {"HtoD", 0.01}};
                }
            },
            {"Copies within the GPU take 24 % of the traced time, while no kernel runs"},
            {{"fraction", 0.24}, {"DtoD_s", 0.96}}, 0},
        {"host_bound", 0.049, 0.06, share(&TracedDevice::hostBoundS), {"6 % of the traced time"},
            {{"seconds", 0.24}}, 0},
        {"pipeline_bubbles", 0.124, 0.2,
            [](RunFacts& f, double x) { f.pipeline->bubbleFraction = x; },
            {"20 % of the time, 2 times the 10 % that 4 stages"}, {{"ideal_fraction", 0.1}}, 0},
        // Four ranks are traced for 1 s each.
        {"straggler", 0.0199, 0.4,
            [](RunFacts& f, double x) {
                waitFor(f, {{0, 0.001}, {1, 0.001}, {2, 0.001}, {3, x}});
                f.communication->ranks[3].latenessS = 0.0012;
                f.communication->ranks[3].timesLastForCertain = 38;
            },
            {"Rank 3 causes 99.3 % of all waiting, 400 ms of 403 ms",
                "last in 38 of 100 collectives, in AllReduce along dp",
                "meanwhile its GPU waits for its host, which launches late (400 ms)"},
            {{"share", 0.4 / 0.403}, {"rest_share", 0.003 / 0.403}, {"fraction", 0.1},
                {"caused_wait_s", 0.4}, {"all_wait_s", 0.403}, {"host_late_s", 0.4},
                {"slower_kernels_s", 0.0}, {"times_last", 38}, {"collectives", 100},
                {"lateness_s", 0.0012}},
            3},
        {"link_use", 0.51, 0.3,
            [](RunFacts& f, double x) { f.communication->rows[0].utilisation = x; },
            {"send_recv along pp uses the links between nodes to 30 % while busy",
                "10 GB/s of 12.5 GB/s", "10 calls of 100 MB"},
            {{"utilisation", 0.3}, {"transfer_fraction", 0.05}}, -1},
        {"clock_offsets", 9'999, 1'200'000,
            [](RunFacts& f, double x) {
                auto& clocks = f.communication->clocks;
                clocks.agree = false;
                clocks.referenceRank = 0;
                clocks.ranks = {RankClock{}, RankClock{}};
                clocks.ranks[1].rank = 1;
                clocks.ranks[1].offsetNs = static_cast<std::int64_t>(-x);
                clocks.largestCorrection = {static_cast<std::int64_t>(-x)};
                clocks.largestUncertaintyNs = 2000;
                clocks.largestTraceUncertaintyNs = 3000;
            },
            {"1.2 ms (rank 1, known to 3 µs)"}, {{"largest_s", 0.0012}}, 1}};
}

std::vector<Case> allCases() {
    std::vector<Case> all;
    for (auto cases : {dataCases(), heatCases(), balanceCases(), traceCases()})
        all.insert(all.end(), cases.begin(), cases.end());
    return all;
}

struct PlantedTree {
    CallTree tree;

    PlantedTree() {
        tree.hasHost = true;
        tree.hasShapes = true;
        tree.signatures.emplace_back();
        tree.names.emplace_back();
        tree.nodes.emplace_back();
    }
    std::uint32_t nameOf(const std::string& text) {
        tree.names.push_back(text);
        return static_cast<std::uint32_t>(tree.names.size() - 1);
    }
    std::uint32_t add(std::uint32_t parent, FrameKind kind, const std::string& name,
        StepPass pass = StepPass::Forward, const std::string& detail = {}) {
        CallNode node;
        node.kind = kind;
        node.pass = pass;
        node.parent = parent;
        node.name = nameOf(name);
        if (!detail.empty()) {
            tree.signatures.push_back(detail);
            node.signature = static_cast<std::uint32_t>(tree.signatures.size() - 1);
        }
        tree.nodes.push_back(node);
        return static_cast<std::uint32_t>(tree.nodes.size() - 1);
    }
    // Kernels, each of a call of its own, that take so long together.
    void launch(
        std::uint32_t caller, FrameKind kind, std::int64_t count, std::int64_t nanoseconds) {
        const auto work = add(caller, kind, "work", tree.nodes[caller].pass);
        tree.nodes[work].sums.works = count;
        tree.nodes[work].sums.time = {nanoseconds};
        tree.nodes[caller].sums.calls = count;
        tree.nodes[caller].sums.ownWorks += count;
        for (auto at = caller; at != CallNode::kNone; at = tree.nodes[at].parent) {
            FrameSums& sums = tree.nodes[at].sums;
            sums.works += count;
            sums.time = sums.time + DurationNs{nanoseconds};
            sums.busy = sums.busy + DurationNs{nanoseconds};
        }
        const CallNode& node = tree.nodes[caller];
        if (node.signature != 0) {
            CallTotal total;
            total.of = CallTotal::Of::Shape;
            total.name = node.name;
            total.signature = node.signature;
            total.sums = node.sums;
            tree.totals.push_back(total);
        }
    }
};

std::string product(int m, int n, int k) {
    return R"({"Input Dims":[[)" + std::to_string(m) + "," + std::to_string(k) + "],["
        + std::to_string(k) + "," + std::to_string(n)
        + R"(]],"Input type":["c10::BFloat16","c10::BFloat16"]})";
}

catalogue::GpuModel roundGpu() { // 100 TFLOP/s of 16 bits, 1 TB/s
    catalogue::GpuModel gpu;
    gpu.bf16Flops = 1e14;
    gpu.memoryBandwidth = 1e12;
    return gpu;
}

} // namespace

class tst_Rules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aCleanRunGivesNone() {
        const Findings found = applyRules(clean());
        QVERIFY2(found.empty(), found.empty() ? "" : found.front().text.c_str());
        QVERIFY(applyRules(RunFacts{}).empty()); // nor one of which nothing is known
    }

    void thresholds_data() {
        const auto row = columns<int>("number");
        int number = 0;
        for (const Case& one : allCases())
            row(one.rule, number++);
    }
    void thresholds() {
        QFETCH(const int, number);
        const Case one = allCases().at(static_cast<std::size_t>(number));
        RunFacts below = clean();
        one.change(below, one.below);
        const Findings silent = applyRules(below);
        QVERIFY2(find(silent, one.rule) == nullptr, silent.empty() ? "" : silent[0].text.c_str());
        RunFacts above = clean();
        one.change(above, one.above);
        const Findings found = applyRules(above);
        const Finding* finding = find(found, one.rule);
        QVERIFY(finding != nullptr);
        for (const std::string& word : one.words)
            VERIFY_SAYS(finding->text, word);
        for (const auto& [name, value] : one.values) {
            QVERIFY2(finding->values.contains(name), name.c_str());
            QVERIFY2(std::abs(finding->values.at(name) - value) <= 1e-9 * std::abs(value) + 1e-12,
                (name + " = " + std::to_string(finding->values.at(name))).c_str());
        }
        QCOMPARE(finding->evidence.rank, one.rank);
        QVERIFY(!finding->evidence.range.isEmpty());
        QVERIFY(!finding->threshold.empty() && !finding->denominator.empty());
        QVERIFY2(finding->text.ends_with('.'), finding->text.c_str());
    }

    // A run with one GPU has no rank that is worst, and nothing of it is plural.
    void oneGpuIsNoCrowd() {
        RunFacts facts = clean();
        facts.traced.resize(1);
        facts.traced[0].idleS = 0.3;
        facts.traced[0].hostBoundS = 0.06;
        facts.settling->gpus = 1;
        facts.settling->unsettled = 1;
        const Findings found = applyRules(facts);
        for (const auto& [rule, words] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"idle_gpu", "The GPU is idle for 30 % of the traced time."},
                 {"host_bound",
                     "The GPU waits for the host for 6 % of the traced time: its next work was not "
                     "yet launched."},
                 {"not_settled", "The temperature of the GPU was still changing at the end"}}) {
            const Finding* finding = find(found, rule);
            QVERIFY2(finding != nullptr, rule);
            QVERIFY2(finding->text.starts_with(words), finding->text.c_str());
        }
    }

    // Rules about operators, on planted call trees and from their thresholds on.

    void farBelowTheRoofline() {
        PlantedTree planted;
        const auto module = planted.add(0, FrameKind::Module, "nn.Module: Linear_0");
        // 2 · 5000² · 1000 FLOP take 0.5 ms: of the first calls 4 ms, of the second 1 ms each.
        const auto slow = planted.add(
            module, FrameKind::Operator, "aten::mm", StepPass::Forward, product(5000, 5000, 1000));
        planted.launch(slow, FrameKind::Kernel, 2, 8 * kMs);
        const auto good = planted.add(
            module, FrameKind::Operator, "aten::mm", StepPass::Forward, product(5000, 1000, 5000));
        planted.launch(good, FrameKind::Kernel, 2, 2 * kMs);
        const auto gpu = roundGpu();
        const OperatorFacts facts = operatorFacts(planted.tree, &gpu);
        QCOMPARE(facts.slow.size(), std::size_t{1});
        QCOMPARE(facts.slow.front().shape, std::string("[5000, 1000], [1000, 5000] bf16"));
        QCOMPARE(facts.slow.front().savedS, 7e-3);
        QVERIFY(operatorFacts(planted.tree, nullptr).slow.empty());

        // 7 ms of four times 1 s are nothing; of four times 20 ms 8.75 %.
        RunFacts run = clean();
        run.operators = facts;
        QVERIFY(applyRules(run).empty());
        for (TracedDevice& device : run.traced) {
            device.windowS = 0.02;
            device.exposedS = device.idleS = device.hostBoundS = 0.0;
        }
        run.communication.reset();
        const Findings all = applyRules(run);
        const Finding* const found = find(all, "slow_operators");
        QVERIFY(found != nullptr);
        QCOMPARE(found->values.at("fraction"), 0.0875);
        VERIFY_SAYS(found->text, "aten::mm of [5000, 1000], [1000, 5000] bf16 8.75 %");
    }

    void smallKernelsCopiesAndRepeatedWork() {
        PlantedTree planted;
        const auto block = planted.add(0, FrameKind::Module, "nn.Module: Block_0");
        const auto add = planted.add(block, FrameKind::Operator, "aten::add");
        planted.launch(add, FrameKind::Kernel, 1000, 3 * kMs); // 3 µs each
        const auto contiguous = planted.add(block, FrameKind::Operator, "aten::contiguous");
        const auto copy = planted.add(contiguous, FrameKind::Operator, "aten::copy_");
        planted.launch(copy, FrameKind::Kernel, 10, 2 * kMs);
        const auto loose = planted.add(0, FrameKind::Operator, "aten::to");
        planted.launch(loose, FrameKind::Copy, 1, 1 * kMs);
        const auto again = planted.add(block, FrameKind::Operator, "aten::mm",
            StepPass::Recomputation, product(1000, 1000, 1000));
        planted.launch(again, FrameKind::Kernel, 1, 4 * kMs);
        const OperatorFacts facts = operatorFacts(planted.tree, nullptr);
        QCOMPARE(facts.kernels, std::int64_t{1011});
        QCOMPARE(facts.smallKernels, std::int64_t{1000});
        QCOMPARE(facts.smallS, 3e-3);
        QCOMPARE(facts.smallIn.front().name, std::string("nn.Module: Block"));
        // Without the copy engine's copy, which gpu_copies tells of.
        QCOMPARE(facts.copiedS, 2e-3);
        QCOMPARE(facts.copiedIn.size(), std::size_t{1});
        QCOMPARE(facts.copiedIn.front().name, std::string("nn.Module: Block"));
        QCOMPARE(facts.recomputedS, 4e-3);
        QCOMPARE(facts.recomputed.front().name, std::string("aten::mm"));
    }

    // Copies by the engines are gpu_copies, those by kernels hidden_copies: never the same time.
    void copiesAreToldOnce() {
        const auto told = [](FrameKind kind, double copyS) {
            PlantedTree planted;
            const auto copy = planted.add(0, FrameKind::Operator, "aten::copy_");
            planted.launch(copy, kind, 1, 800 * kMs); // 4 s are traced
            RunFacts run = clean();
            run.operators = operatorFacts(planted.tree, nullptr);
            for (TracedDevice& device : run.traced)
                device.copyS = copyS; // while no kernel runs, of 1 s each
            std::vector<std::string> rules;
            for (const Finding& one : applyRules(run))
                rules.push_back(one.rule);
            return rules;
        };
        QCOMPARE(told(FrameKind::Copy, 0.2), std::vector<std::string>{"gpu_copies"});
        QCOMPARE(told(FrameKind::Kernel, 0.0), std::vector<std::string>{"hidden_copies"});
    }

    // Calls that take more than twice their work, the innermost of them; only where GPUs wait.
    void launchBoundModules() {
        PlantedTree planted;
        const auto outer = planted.add(0, FrameKind::Annotation, "step");
        const auto inner = planted.add(outer, FrameKind::Module, "nn.Module: Head_0");
        const auto operation = planted.add(inner, FrameKind::Operator, "aten::mul");
        planted.launch(operation, FrameKind::Kernel, 10, 10 * kMs);
        planted.tree.nodes[outer].sums.hostTime = {400 * kMs};
        planted.tree.nodes[inner].sums.hostTime = {300 * kMs};
        RunFacts run = clean();
        run.operators = operatorFacts(planted.tree, nullptr);
        QCOMPARE(run.operators->launchBound.size(), std::size_t{1});
        QCOMPARE(run.operators->launchBound.front().name, std::string("nn.Module: Head"));
        QVERIFY(applyRules(run).empty());
        for (TracedDevice& device : run.traced)
            device.hostBoundS = 0.06;
        const Findings all = applyRules(run);
        const Finding* const found = find(all, "launch_bound");
        QVERIFY(found != nullptr);
        QCOMPARE(found->values.at("fraction"), 0.06); // 4 × 0.06 s of 4 s that are traced
        QVERIFY2(found->text.starts_with("Calls of nn.Module: Head take 300 ms to launch"),
            found->text.c_str());
        QVERIFY(found->text.ends_with("GPUs wait for the host for 6 % of the traced time."));
    }

    void thresholdsOfOperators() {
        using Doing = void (*)(OperatorFacts&, double);
        const std::pair<const char*, std::pair<double, Doing>> cases[]{
            {"slow_operators", {kSlowOperators, [](OperatorFacts& f, double s) { f.savedS = s; }}},
            {"small_kernels", {kSmallKernels, [](OperatorFacts& f, double s) { f.smallS = s; }}},
            {"recomputation", {kRecomputed, [](OperatorFacts& f, double s) { f.recomputedS = s; }}},
            {"hidden_copies", {kCopies, [](OperatorFacts& f, double s) { f.copiedS = s; }}},
        };
        for (const auto& [rule, limit] : cases) {
            RunFacts run = clean(); // traced for 4 s
            run.operators = OperatorFacts{};
            limit.second(*run.operators, 4.0 * limit.first * 0.99);
            QVERIFY2(applyRules(run).empty(), rule);
            limit.second(*run.operators, 4.0 * limit.first * 1.01);
            const Findings all = applyRules(run);
            QVERIFY2(all.size() == 1 && all.front().rule == rule, rule);
        }
    }

    // 2 · 1000³ FLOP in each of five calls; two of them are done again. linear counts once, by the
    // product that it calls.
    void shareOfThePeakByOperators() {
        PlantedTree planted;
        const std::string linear
            = R"({"Input Dims":[[1000,1000],[1000,1000]],"Input type":["c10::Half","c10::Half"]})";
        const auto outer
            = planted.add(0, FrameKind::Operator, "aten::linear", StepPass::Forward, linear);
        planted.tree.nodes[outer].sums.calls = 3;
        const auto inner = planted.add(
            outer, FrameKind::Operator, "aten::mm", StepPass::Forward, product(1000, 1000, 1000));
        planted.launch(inner, FrameKind::Kernel, 3, 3 * kMs);
        // The library's own operator below is not known: its caller counts.
        const auto again
            = planted.add(0, FrameKind::Operator, "aten::linear", StepPass::Recomputation, linear);
        const auto own
            = planted.add(again, FrameKind::Operator, "mine::gemm", StepPass::Recomputation);
        planted.launch(own, FrameKind::Kernel, 2, 1 * kMs);
        planted.tree.nodes[again].sums.calls = 2;
        const auto gpu = roundGpu();
        const auto found = operatorMfu(planted.tree, 1e-3, &gpu);
        QVERIFY(found.has_value());
        QCOMPARE(found->flop, 6e9);
        QCOMPARE(found->recomputedFlop, 4e9);
        QCOMPARE(*found->mfu, 0.06);
        QCOMPARE(*found->hfu, 0.1);
        QCOMPARE(found->knownShare, 1.0);
    }

    // The backward pass hangs under the forward operator, whose formula is of its own pass alone:
    // three products of 2 · 1000³ FLOP and 6 MB, in 1 ms and 3 ms.
    void formulasAreOfOnePass() {
        PlantedTree planted;
        const auto module = planted.add(0, FrameKind::Module, "nn.Module: Linear_0");
        const auto forward = planted.add(
            module, FrameKind::Operator, "aten::mm", StepPass::Forward, product(1000, 1000, 1000));
        planted.launch(forward, FrameKind::Kernel, 1, 1 * kMs);
        const auto node
            = planted.add(forward, FrameKind::Operator, "MmBackward0", StepPass::Backward);
        const auto backward = planted.add(
            node, FrameKind::Operator, "aten::mm", StepPass::Backward, product(1000, 1000, 1000));
        planted.launch(backward, FrameKind::Kernel, 2, 3 * kMs);
        const auto gpu = roundGpu();
        const auto known = efficiencies(planted.tree, &gpu);
        for (const auto whole : {std::uint32_t{0}, module, forward}) {
            QCOMPARE(*known[whole].flop, 6e9);
            QCOMPARE(*known[whole].bytes, 18e6);
            QCOMPARE(known[whole].knownShare, 1.0);
            QCOMPARE(*known[whole].rooflineFraction, 0.06 / 4.0); // 0.02 ms each
        }
        QCOMPARE(*known[backward].flop, 4e9);
        QCOMPARE(operatorMfu(planted.tree, 4e-3, &gpu)->flop, 6e9);
        for (const StepPass pass : {StepPass::Forward, StepPass::Backward}) {
            CallTotal total;
            total.of = CallTotal::Of::Pass;
            total.pass = pass;
            total.sums = planted.tree.nodes[pass == StepPass::Forward ? forward : backward].sums;
            planted.tree.totals.push_back(total);
        }
        const auto passes = operatorTable(planted.tree, OperatorGrouping::Pass, &gpu).rows;
        QCOMPARE(passes.size(), std::size_t{2});
        for (const OperatorEntry& row : passes)
            QCOMPARE(*row.efficiency.flop, row.pass == StepPass::Forward ? 2e9 : 4e9);
    }

    // 1 GB in 2 ms and 100 MB in 0.1 ms, which a cache may hold.
    void bandwidthOfTheLargestOperators() {
        PlantedTree planted;
        const std::string large
            = R"({"Input Dims":[[250000000],[250000000]],"Input type":["c10::Half","c10::Half"],)"
              R"("Concrete Inputs":["","","False"]})";
        const std::string small
            = R"({"Input Dims":[[25000000],[25000000]],"Input type":["c10::Half","c10::Half"],)"
              R"("Concrete Inputs":["","","False"]})";
        for (const auto& [detail, time] : {std::pair(large, 2 * kMs), std::pair(small, kMs / 10)}) {
            const auto copy
                = planted.add(0, FrameKind::Operator, "aten::copy_", StepPass::Forward, detail);
            planted.launch(copy, FrameKind::Kernel, 1, time);
        }
        const auto gpu = roundGpu();
        const auto found = measuredBandwidth(planted.tree, &gpu);
        QVERIFY(found.has_value());
        QCOMPARE(found->bytesPerSecond, 5e11);
        QCOMPARE(found->name, std::string("aten::copy_"));
        QVERIFY(!measuredBandwidth(planted.tree, nullptr));
    }
};

TRAINSCOPE_TEST(tst_Rules)
#include "tst_Rules.moc"
