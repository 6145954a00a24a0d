// Groups of thousands of random layouts against an independent reference: the ranks are dealt out
// by counting through the dimensions like an odometer, and ranks whose other coordinates agree are
// a group.

#include "core/layout/Layout.h"
#include "core/layout/RankGrid.h"
#include "support/TestProgram.h"

using namespace trainscope::layout;
using Groups = std::vector<std::vector<int>>;

namespace {

constexpr std::array<const char*, kDimensions> kNames{"tp", "cp", "ep", "dp", "pp"};
using Coordinates = std::map<std::string, int>;

// By rank.
std::vector<Coordinates> deal(const std::vector<std::string>& order, const Coordinates& sizes) {
    std::vector<Coordinates> result;
    Coordinates at;
    for (const auto& [name, size] : sizes)
        at[name] = 0;
    while (true) {
        result.push_back(at);
        std::size_t wheel = 0;
        while (wheel < order.size() && ++at[order[wheel]] == sizes.at(order[wheel]))
            at[order[wheel++]] = 0;
        if (wheel == order.size())
            return result;
    }
}

RankGroups groupsOf(const std::vector<Coordinates>& ranks, const std::vector<std::string>& inside) {
    std::map<Coordinates, std::vector<int>> byOthers;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        Coordinates others = ranks[rank];
        for (const auto& name : inside)
            others.erase(name);
        byOthers[others].push_back(static_cast<int>(rank));
    }
    RankGroups result;
    for (const auto& [others, members] : byOthers)
        result.push_back(members);
    std::sort(result.begin(), result.end());
    return result;
}

struct Case {
    Degrees degrees;
    std::vector<std::string> order;
    Coordinates dense;
    Coordinates expert;
    int world = 1;

    [[nodiscard]] std::string orderText() const {
        std::string text;
        for (const auto& name : order)
            text += (text.empty() ? "" : "-") + name;
        return text;
    }
};

class Dice {
public:
    explicit Dice(unsigned seed)
        : m_engine(seed) { }
    int pick(const std::vector<int>& from) {
        return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(m_engine)];
    }
    template <typename T>
    void shuffle(T& list) {
        std::shuffle(list.begin(), list.end(), m_engine);
    }

private:
    std::mt19937 m_engine;
};

Case randomCase(Dice& dice) {
    Case made;
    const std::vector<int> sizes{1, 1, 2, 2, 3, 4};
    made.degrees = {dice.pick(sizes), dice.pick({1, 1, 2}), dice.pick(sizes), 0, dice.pick(sizes),
        dice.pick(sizes)};
    made.degrees.expertTensor = dice.pick({0, 0, 1, 2});
    made.order.assign(kNames.begin(), kNames.end());
    if (dice.pick({0, 1}) == 1)
        dice.shuffle(made.order);
    if (dice.pick({0, 1, 2}) == 2)
        std::erase_if(made.order, [&](const auto&) { return dice.pick({0, 1, 2}) == 2; });
    if (made.order.empty())
        made.order = {"tp"};
    const Degrees& d = made.degrees;
    const int etp = d.expertTensor == 0 ? d.tensor : d.expertTensor;
    made.world = d.tensor * d.context * d.data * d.pipeline;
    made.dense
        = {{"tp", d.tensor}, {"cp", d.context}, {"ep", 1}, {"dp", d.data}, {"pp", d.pipeline}};
    made.expert = {{"tp", etp}, {"cp", 1}, {"ep", d.expert},
        {"dp", made.world / (etp * d.expert * d.pipeline)}, {"pp", d.pipeline}};
    return made;
}

int product(const Coordinates& sizes) {
    int result = 1;
    for (const auto& [name, size] : sizes)
        result *= size;
    return result;
}

// Layouts that initialize_model_parallel accepts, in the words of its checks.
bool megatronAccepts(const Case& one) {
    if (product(one.expert) != one.world)
        return false;
    const auto isNamed = [&](const std::string& name) {
        return std::find(one.order.begin(), one.order.end(), name) != one.order.end();
    };
    for (const char* name : kNames) {
        if (!isNamed(name) && (one.dense.at(name) > 1 || one.expert.at(name) > 1))
            return false;
    }
    if (one.order.back() != "pp" && one.dense.at("pp") > 1
        && one.expert.at("dp") != one.dense.at("dp"))
        return false;
    return true;
}

} // namespace

class tst_RankGroups : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreeWithCountingThroughTheRanks() {
        Dice dice(20260731);
        int accepted = 0;
        int refused = 0;
        for (int i = 0; i < 6000; ++i) {
            Case one = randomCase(dice);
            const auto order = rankOrderFromString(one.orderText()).value();
            const auto grid = RankGrid::make(one.degrees, order);
            auto full = one.order;
            for (const char* name : kNames) {
                if (std::find(full.begin(), full.end(), name) == full.end())
                    full.push_back(name);
            }
            bool expected = megatronAccepts(one);
            if (expected) {
                const auto dense = deal(full, one.dense);
                const auto expert = deal(full, one.expert);
                expected = groupsOf(dense, {"pp"}) == groupsOf(expert, {"pp"});
                if (expected) {
                    QVERIFY2(grid.hasValue(), grid.hasValue() ? "" : grid.error().message.c_str());
                    compare(grid.value(), dense, expert);
                    ++accepted;
                    continue;
                }
            }
            const bool hasExperts = one.degrees.expert > 1
                || (one.degrees.expertTensor != 0
                    && one.degrees.expertTensor != one.degrees.tensor);
            if (hasExperts) {
                QVERIFY2(!grid.hasValue(), one.orderText().c_str());
                ++refused;
            } else if (grid.hasValue()) {
                compareDense(grid.value(), deal(full, one.dense));
            }
        }
        QVERIFY2(accepted > 1500, std::to_string(accepted).c_str());
        QVERIFY2(refused > 500, std::to_string(refused).c_str());
    }

    void embeddingsLieOnFirstAndLastStage() {
        const auto grid = RankGrid::make({2, 1, 1, 0, 1, 3}).value();
        QCOMPARE(grid.embeddingGroups(), (RankGroups{{0, 4}, {1, 5}}));
        QCOMPARE(
            RankGrid::make({2, 1, 1, 0, 1, 1}).value().embeddingGroups(), (RankGroups{{0}, {1}}));
    }

    void theNamesAreMegatrons() {
        QCOMPARE(infoOf(CommunicatorKind::ExpertData).key, std::string_view("edp"));
        for (const auto& info : communicatorKinds())
            QCOMPARE(&infoOf(info.kind), &info);
    }

    // Rank arithmetic against the example that Megatron-LM documents and against layouts worked out
    // by hand.

    // 16 GPUs, TP 2, PP 4, so DP 2: the example in the documentation of initialize_model_parallel.
    void megatronsOwnExample() {
        const auto grid = RankGrid::make({2, 1, 1, 0, 2, 4}).value();
        QCOMPARE(grid.worldSize(), 16);
        QCOMPARE(grid.groups(CommunicatorKind::Tensor),
            (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
        QCOMPARE(grid.groups(CommunicatorKind::Data),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
        QCOMPARE(grid.groups(CommunicatorKind::Pipeline),
            (Groups{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
    }

    void pipelineBeforeData() {
        const auto order = rankOrderFromString("tp-pp-dp").value();
        const auto grid = RankGrid::make({2, 1, 1, 0, 2, 2}, order).value();
        QCOMPARE(grid.groups(CommunicatorKind::Pipeline), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
        QCOMPARE(grid.groups(CommunicatorKind::Data), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
    }

    // 8 ranks of one stage, TP 2, DP 4, EP 4: with ETP = TP the expert groups step by 2 over all 8.
    void expertGroupsComeFromTheirOwnDecomposition() {
        const auto grid = RankGrid::make({2, 1, 4, 0, 4, 1}).value();
        QCOMPARE(grid.groups(CommunicatorKind::Expert), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
        const auto folded = RankGrid::make({2, 1, 4, 1, 4, 1}).value();
        QCOMPARE(folded.groups(CommunicatorKind::Expert), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
    }

    void positionsInTheSample() {
        LaunchConfig launch;
        launch.tensorParallel = 8;
        launch.pipelineParallel = 4;
        const auto grid = gridFromLaunch(launch, 32).value();
        const RankPosition expected{5, 0, 0, 0, 1, 5, 0}; // rank 13: node 1, slot 5
        QCOMPARE(grid.position(13), expected);
    }

    void refusesWhatDoesNotFit() {
        QVERIFY(!RankGrid::make({0, 1, 1, 0, 1, 1}).hasValue());
        QVERIFY(!RankGrid::make({2, 1, 3, 0, 2, 1}).hasValue());
        QVERIFY(!rankOrderFromString("tp-xp").hasValue());
        QVERIFY(!rankOrderFromString("tp-tp").hasValue());
        QVERIFY(!rankOrderFromString("").hasValue());
        QVERIFY(!rankOrderFromString("tp--pp").hasValue());
        QVERIFY(!RankGrid::make({1000, 1000, 1, 0, 1000, 1000}).hasValue());
        const auto unnamed
            = RankGrid::make({2, 2, 1, 0, 2, 2}, rankOrderFromString("TP-PP-DP").value());
        QCOMPARE(unnamed.error().message,
            std::string(R"(The rank order "tp-pp-dp" leaves out cp, which has degree 2.)"));
        LaunchConfig launch;
        launch.tensorParallel = 8;
        QVERIFY(!gridFromLaunch(launch, 12).hasValue());
        QVERIFY(!gridFromLaunch({}, 8).hasValue());
    }

private:
    static void compareDense(const RankGrid& grid, const std::vector<Coordinates>& dense) {
        QCOMPARE(grid.groups(CommunicatorKind::Tensor), groupsOf(dense, {"tp"}));
        QCOMPARE(grid.groups(CommunicatorKind::Context), groupsOf(dense, {"cp"}));
        QCOMPARE(grid.groups(CommunicatorKind::Data), groupsOf(dense, {"dp"}));
        QCOMPARE(grid.groups(CommunicatorKind::Pipeline), groupsOf(dense, {"pp"}));
        QCOMPARE(grid.groups(CommunicatorKind::DataContext), groupsOf(dense, {"dp", "cp"}));
        QCOMPARE(grid.groups(CommunicatorKind::Model), groupsOf(dense, {"tp", "pp"}));
        QCOMPARE(grid.groups(CommunicatorKind::TensorContext), groupsOf(dense, {"tp", "cp"}));
        QCOMPARE(grid.groups(CommunicatorKind::TensorData), groupsOf(dense, {"tp", "dp"}));
        QCOMPARE(
            grid.groups(CommunicatorKind::TensorDataContext), groupsOf(dense, {"tp", "dp", "cp"}));
        for (int rank = 0; rank < grid.worldSize(); ++rank) {
            const auto& at = dense[static_cast<std::size_t>(rank)];
            const auto position = grid.position(rank);
            QCOMPARE(position.tensor, at.at("tp"));
            QCOMPARE(position.context, at.at("cp"));
            QCOMPARE(position.data, at.at("dp"));
            QCOMPARE(position.pipeline, at.at("pp"));
        }
    }

    static void compare(const RankGrid& grid, const std::vector<Coordinates>& dense,
        const std::vector<Coordinates>& expert) {
        compareDense(grid, dense);
        QCOMPARE(grid.groups(CommunicatorKind::Expert), groupsOf(expert, {"ep"}));
        for (const auto dimension : kMegatronOrder.dimensions)
            QCOMPARE(grid.groups(dimension),
                groupsOf(dimension == Dimension::Expert ? expert : dense,
                    {std::string(toString(dimension))}));
        QCOMPARE(grid.groups(CommunicatorKind::ExpertTensor), groupsOf(expert, {"tp"}));
        QCOMPARE(grid.groups(CommunicatorKind::TensorExpert), groupsOf(expert, {"tp", "ep"}));
        QCOMPARE(grid.groups(CommunicatorKind::TensorExpertPipeline),
            groupsOf(expert, {"tp", "ep", "pp"}));
        QCOMPARE(grid.groups(CommunicatorKind::ExpertData), groupsOf(expert, {"dp"}));
        for (int rank = 0; rank < grid.worldSize(); ++rank) {
            const auto& at = expert[static_cast<std::size_t>(rank)];
            QCOMPARE(grid.position(rank).expert, at.at("ep"));
            QCOMPARE(grid.position(rank).expertTensor, at.at("tp"));
            QCOMPARE(grid.position(rank).expertData, at.at("dp"));
        }
        for (const auto& info : communicatorKinds()) {
            for (const auto& group : grid.groups(info.kind)) {
                QCOMPARE(static_cast<int>(group.size()), grid.groupSize(info.kind));
                QCOMPARE(grid.groupOf(info.kind, group.back()), group);
            }
        }
    }
};

TRAINSCOPE_TEST(tst_RankGroups)
#include "tst_RankGroups.moc"
