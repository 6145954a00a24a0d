// `layout` by hand: its JSON, its refusals, and the published experiments.

#include "app/cli/output/LayoutOutput.h"
#include "support/PublishedExperiments.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using Groups = std::vector<std::vector<int>>;

namespace {

std::vector<std::string> argumentsOf(const ExperimentRow& row) {
    std::vector<std::string> arguments{"layout", "--nodes", row["nodes"], "--gpus-per-node",
        row["gpus_per_node"], "--tp", row["TP"], "--pp", row["PP"], "--ep", row["EP"], "--cp",
        row["CP"], "--layers", row["layers"], "--json"};
    return arguments;
}

} // namespace

class tst_LayoutCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theObject() {
        const auto json = jsonOf({"layout", "--nodes", "2", "--gpus-per-node", "4", "--tp", "2",
            "--pp", "2", "--ep", "2", "--etp", "1", "--microbatches", "8"});
        QCOMPARE(json["world_size"], 8);
        const auto& rank = json["ranks"][5];
        const std::map<std::string, int> expected{{"rank", 5}, {"node", 1}, {"local", 1}, {"tp", 1},
            {"cp", 0}, {"dp", 0}, {"ep", 1}, {"pp", 1}, {"etp", 0}, {"edp", 0}};
        for (const auto& [key, value] : expected)
            QCOMPARE(rank[key], value);
        QCOMPARE(json["groups"]["tp"].get<Groups>(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
        QCOMPARE(json["groups"]["dp"].get<Groups>(), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
        QCOMPARE(json["groups"]["ep"].get<Groups>(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
        QCOMPARE(json["groups"]["pp"].get<Groups>(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
        QCOMPARE(json["groups"]["cp"].size(), std::size_t{8});
        QCOMPARE(json["links"]["pp"]["link"], "cluster");
        QCOMPARE(json["links"]["tp"]["link"], "node");
        const auto& schedule = json["schedule"];
        QCOMPARE(schedule["kind"], "1f1b");
        QCOMPARE(schedule["stages"], 2);
        QCOMPARE(schedule["microbatches"], 8);
        QCOMPARE(schedule["virtual_stages"], 1);
        QVERIFY(std::abs(schedule["bubble_fraction"].get<double>() - 1.0 / 9.0) < 1e-12);
    }

    void tasksOnRequest() {
        const auto json
            = runCli({"layout", "--nodes", "1", "--gpus-per-node", "2", "--pp", "2",
                         "--microbatches", "3", "--schedule", "zero-bubble", "--tasks", "--json"})
                  .json();
        QCOMPARE(json["schedule"]["tasks"].size(), std::size_t{2 * 3 * 3});
        QCOMPARE(json["schedule"]["tasks"][0]["kind"], "forward");
    }

    void refusals() {
        const auto ran = runCli({"layout", "--nodes", "4", "--gpus-per-node", "8", "--tp", "3"});
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, "32 ranks are not divisible by TP 3 × CP 1 × PP 1 = 3");
        QCOMPARE(runCli({"layout", "--tp", "2"}).status, 2);
        const std::vector<std::string> cluster{"layout", "--nodes", "2", "--gpus-per-node", "2"};
        for (const std::vector<std::string>& more :
            std::vector<std::vector<std::string>>{{"--order", "tp-xp"}, {"--schedule", "best"},
                {"--stage-layers", "a"}, {"--zero", "7"}, {"--tp", "x"}, {"--pp", "-1"},
                // These would do nothing.
                {"--run", "a"}, {"--tasks"}, {"--sequence", "2048"}, {"--micro-batch", "1"}}) {
            auto arguments = cluster;
            arguments.insert(arguments.end(), more.begin(), more.end());
            QCOMPARE(runCli(arguments).status, 2);
        }
    }

    // Megatron-LM does not run the interleaved schedule with 3 micro-batches on 4 stages, and 6
    // only in one group.
    void whatCannotBePlannedIsLeftOut() {
        const std::vector<std::string> cluster{"layout", "--nodes", "1", "--gpus-per-node", "4",
            "--pp", "4", "--vpp", "2", "--json", "--microbatches"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), cluster.begin(), cluster.end());
            return runCli(more);
        };
        const auto ran = with({"3"});
        QCOMPARE(ran.status, 1);
        VERIFY_SAYS(ran.err, "3 are fewer than 4");
        QVERIFY(!ran.json()["schedule"].contains("bubble_fraction"));
        QCOMPARE(ran.json()["ranks"].size(), std::size_t{4});
        const auto six = with({"6"});
        QCOMPARE(six.status, 0);
        QCOMPARE(six.json()["schedule"]["microbatch_group"], 6);
        QCOMPARE(six.json()["schedule"]["bubble_fraction"].get<double>(), 3.0 / 15.0);
        const auto four = with({"6", "--microbatch-group", "4"});
        QCOMPARE(four.status, 1);
        VERIFY_SAYS(four.err, "leave 2 of the 6");
    }

    void textForPeople() {
        const auto ran = runCli({"layout", "--nodes", "2", "--gpus-per-node", "8", "--tp", "4",
            "--pp", "2", "--layers", "10", "--microbatches", "4", "--zero", "1"});
        QCOMPARE(ran.status, 0);
        for (const char* part :
            {"16 ranks on 2 nodes of 8 GPUs: TP 4 × DP 2 × PP 2; order tp-cp-ep-dp-pp", "12-15",
                "5-9", "inside a node", "over 2 nodes", "bubbles 20", "optimizer cut over 2"})
            QVERIFY2(ran.out.find(part) != std::string::npos, part);
    }

    // All published experiments: DP as published, every dimension's groups a partition of the
    // ranks, coordinates as the groups say. 80 layers on 32 stages cannot be.
    void publishedExperiments() {
        for (const Experiments& experiments : allExperiments())
            layOut(experiments);
        if (allExperiments().size() < 2)
            QSKIP("the published experiments are not there");
    }

    void layoutOfATracedRun_data() {
        const auto row = columns<QString>("traces");
        row("stand-in", QString::fromStdString(standIns() + "/data/kineto/pair"));
        if (!realFiles().empty())
            row("real", QString::fromStdString(realFiles() + "/data/kineto/megatron_tp2_v100"));
    }
    void layoutOfATracedRun() {
        QFETCH(const QString, traces);
        QTemporaryDir folder;
        const auto database = pathIn(folder, "tp2.trainscope");
        QVERIFY(succeeds({"import", traces.toStdString(), "--into", database}));
        const auto json = runCli({"layout", database, "--json"}).json();
        QCOMPARE(json["source"]["origin"], "process_groups");
        QCOMPARE(json["degrees"]["tp"], 2);
        QCOMPARE(json["world_size"], 2);
        const auto byHand = runCli({"layout", database, "--pp", "2", "--tp", "1", "--json"}).json();
        QCOMPARE(byHand["source"]["origin"], "options");
        QCOMPARE(byHand["groups"]["pp"].get<Groups>(), (Groups{{0, 1}}));
    }

    // See tst_RunTraffic: GPT-3 175B on TP 8, now a stage of 24 layers and 4 micro-batches.
    void trafficOfAModel() {
        const std::vector<std::string> arguments{"layout", "--nodes", "4", "--gpus-per-node", "8",
            "--tp", "8", "--pp", "4", "--model", "gpt3-175b", "--sequence", "2048", "--micro-batch",
            "1", "--microbatches", "4", "--json"};
        const auto ran = runCli(arguments);
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const auto traffic = ran.json()["traffic"];
        QCOMPARE(traffic.size(), std::size_t{4});
        QCOMPARE(traffic[1]["rank"], 8);
        const auto& tp = traffic[1]["groups"]["tp"];
        QCOMPARE(tp["bytes_per_step"].get<double>(), 24 * 4 * 8.75 * 2048 * 12288 * 2);
        QCOMPARE(tp["link"], "node");
        QCOMPARE(traffic[1]["groups"]["pp"]["link"], "cluster");
        auto unknown = arguments;
        unknown[10] = "no-such-model";
        QCOMPARE(runCli(unknown).status, 2);
        unknown = {arguments.begin(), arguments.end() - 1};
        VERIFY_SAYS(runCli(unknown).out, "sends per step");
    }

    void topologies() {
        const std::string small = standIns() + "/data/topology/";
        const auto pair = jsonOf({"topology", small + "nvlink_pair.xml"});
        QCOMPARE(pair["devices"].size(), std::size_t{5});
        QCOMPARE(pair["paths"][0]["kind"], "nvlink");
        QCOMPARE(pair["paths"][0]["links"], 4);
        QCOMPARE(pair["paths"][0]["bandwidth_b_per_s"].get<double>(), 100e9);
        const auto matrix = runCli({"topology", small + "matrix.txt"});
        QCOMPARE(matrix.status, 0);
        VERIFY_SAYS(matrix.out, "mlx5_3");
        QCOMPARE(runCli({"topology", small + "job.out"}).status, 3);
        QCOMPARE(runCli({"topology", small + "none"}).status, 3);
    }

    // 32 samples in micro-batches of 2, on 8 GPUs: TP 2 × PP 2 leaves DP 2.
    void optionsOverALaunch() {
        QTemporaryDir folder;
        const auto database = pathIn(folder, "a.trainscope");
        {
            std::ofstream log(pathIn(folder, "smi.csv"));
            log << "timestamp, index, power.draw [W]\n";
            for (int second = 10; second < 22; ++second) {
                for (int gpu = 0; gpu < 8; ++gpu)
                    log << "2025/01/01 00:00:" << second << ".000, " << gpu << ", 300.00 W\n";
            }
            std::ofstream launch(pathIn(folder, "launch.sh"));
            launch << "torchrun --nproc-per-node 8 --nnodes 1 pretrain_gpt.py "
                      "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 "
                      "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 "
                      "--seq-length 1024 --micro-batch-size 2 --global-batch-size 32 --bf16\n";
        }
        QVERIFY(succeeds({"import", folder.path().toStdString(), "--into", database}));
        const auto with = [&database](std::vector<std::string> more) {
            more.insert(more.begin(), {"layout", database, "--json"});
            return runCli(more).json();
        };
        const auto microbatchesOf
            = [](const nlohmann::json& json) { return json["schedule"].value("microbatches", 0); };
        QCOMPARE(microbatchesOf(with({})), 8); // 32 / (2 · 2)
        const auto other = with({"--tp", "4"}); // DP 1
        QCOMPARE(microbatchesOf(other), 16);
        // (p − 1) / (m + p − 1)
        QVERIFY(std::abs(other["schedule"]["bubble_fraction"].get<double>() - 1.0 / 17.0) < 1e-12);
        QCOMPARE(microbatchesOf(with({"--micro-batch", "4"})), 4);
        QCOMPARE(microbatchesOf(with({"--tp", "4", "--microbatches", "3"})), 3);
        const auto uneven = with({"--micro-batch", "3"});
        QCOMPARE(microbatchesOf(uneven), 0);
        VERIFY_SAYS(uneven["notes"].dump(), "--microbatches");
        const auto layersOf = [](const nlohmann::json& json) {
            int layers = 0;
            for (const auto& chunk : json["stages"])
                layers += chunk["layers"].get<int>();
            return layers;
        };
        QCOMPARE(layersOf(with({})), 8);
        QCOMPARE(layersOf(with({"--model", "llama3-8b"})), 32);
        QVERIFY(with({"--order", "tp-cp-ep-pp-dp"})["source"]["text"].get<std::string>().ends_with(
            ", with the options given"));
        // (7 layers and the embedding) / 2 stages
        QCOMPARE(layersOf(with({"--layers", "7", "--embedding-layer", "--save"})), 7);
        QCOMPARE(layersOf(with({})), 7);
    }

    // Kept in the database, shown with its origin, and taken back.
    void byHandInADatabase() {
        QTemporaryDir folder;
        const auto database = pathIn(folder, "a.trainscope");
        const auto log = pathIn(folder, "smi.csv");
        {
            std::ofstream file(log);
            file << "timestamp, index, power.draw [W]\n";
            for (int second = 0; second < 12; ++second) {
                for (int gpu = 0; gpu < 8; ++gpu)
                    file << "2025/01/01 00:00:" << 10 + second << ".000, " << gpu << ", 300.00 W\n";
            }
        }
        QVERIFY(succeeds({"import", log, "--into", database}));
        QVERIFY(runCli({"layout", database, "--json"}).status != 0);
        QCOMPARE(runCli({"layout", database, "--tp", "3", "--save"}).status, 2);
        const auto saved
            = runCli({"layout", database, "--tp", "2", "--pp", "2", "--save", "--json"});
        QCOMPARE(saved.status, 0);
        QCOMPARE(saved.json()["source"]["origin"], "entered");
        const auto shown = runCli({"layout", database, "--json"});
        QCOMPARE(shown.status, 0);
        QCOMPARE(shown.json(), saved.json());
        QCOMPARE(shown.json()["groups"]["pp"].size(), std::size_t{4});
        QVERIFY(runCli({"layout", database, "--forget"}).status != 0);
        QVERIFY(runCli({"layout", database, "--json"}).status != 0);
        QCOMPARE(runCli({"layout", "--tp", "2", "--save"}).status, 2);
    }

private:
    static void layOut(const Experiments& experiments) {
        const auto rows = readExperiments(experiments.root);
        QCOMPARE(rows.size(), experiments.count);
        const std::string refusal = experiments.areReal()
            ? "80 layers cannot be divided equally over 32 pipeline stages"
            : "10 layers cannot be divided equally over 4 pipeline stages";
        int impossible = 0;
        std::set<std::vector<std::string>> seen;
        for (const auto& row : rows) {
            const auto arguments = argumentsOf(row);
            const auto ran = runCli(arguments);
            if (std::stoi(row["layers"]) % std::stoi(row["PP"]) != 0) {
                QCOMPARE(ran.status, 2);
                VERIFY_SAYS(ran.err, refusal);
                ++impossible;
                continue;
            }
            QCOMPARE(ran.status, 0);
            const auto json = ran.json();
            QCOMPARE(json["world_size"], std::stoi(row["n_gpus"]));
            QCOMPARE(json["degrees"]["dp"], std::stoi(row["DP"]));
            if (seen.insert(arguments).second)
                checkGroups(json);
        }
        QCOMPARE(impossible, experiments.areReal() ? 4 : 1);
        QVERIFY(seen.size() > (experiments.areReal() ? 10 : 2));
    }

    static void checkGroups(const nlohmann::json& json) {
        const std::map<std::string, std::vector<std::string>> others{{"tp", {"cp", "dp", "pp"}},
            {"cp", {"tp", "dp", "pp"}}, {"dp", {"tp", "cp", "pp"}}, {"pp", {"tp", "cp", "dp"}},
            {"ep", {"etp", "edp", "pp"}}};
        for (const auto& [key, same] : others) {
            std::set<int> all;
            for (const auto& group : json["groups"][key]) {
                int place = 0;
                for (const auto& member : group) {
                    const auto& rank = json["ranks"][member.get<std::size_t>()];
                    all.insert(rank["rank"].get<int>());
                    QCOMPARE(rank[key], place++);
                    for (const auto& other : same)
                        QCOMPARE(rank[other], json["ranks"][group[0].get<std::size_t>()][other]);
                }
            }
            QCOMPARE(all.size(), json["ranks"].size());
        }
    }
};

TRAINSCOPE_TEST(tst_LayoutCommand)
#include "tst_LayoutCommand.moc"
