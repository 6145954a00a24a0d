// Rank arithmetic against the example that Megatron-LM documents and against layouts worked out by
// hand.

#include "core/layout/Layout.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::layout;
using Groups = std::vector<std::vector<int>>;

class tst_RankGrid : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
};

TRAINSCOPE_TEST(tst_RankGrid)
#include "tst_RankGrid.moc"
