// Names of communicators, and the text that groups are stored as.

#include "core/layout/ProcessGroup.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::layout;

class tst_ProcessGroup : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void megatronsDescriptions() {
        for (const auto& info : communicatorKinds())
            QVERIFY(kindFromName("7", info.description) == info.kind);
    }

    void othersNames() {
        QVERIFY(kindFromName("tp", "") == CommunicatorKind::Tensor);
        QVERIFY(kindFromName("3", "mesh_dp_shard") == CommunicatorKind::Data);
        QVERIFY(kindFromName("3", "mesh_dp_cp") == CommunicatorKind::DataContext);
        QVERIFY(kindFromName("3", "ep_dp") == CommunicatorKind::ExpertData);
        QVERIFY(kindFromName("pipe-parallel", "undefined") == CommunicatorKind::Pipeline);
        QVERIFY(!kindFromName("0", "default_pg"));
        QVERIFY(!kindFromName("13", "undefined"));
        QVERIFY(!kindFromName("5", "EMBEDDING_GROUP"));
        QVERIFY(!kindFromName("5", "POSITION_EMBEDDING_GROUP"));
        QVERIFY(!kindFromName("5", "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP"));
        QVERIFY(!kindFromName("5", "DATA_PARALLEL_GROUP_GLOO"));
        QVERIFY(!kindFromName("5", "stpid"));
    }

    void textOfGroups() {
        const std::vector<ProcessGroup> groups{{"1", "TENSOR_MODEL_PARALLEL_GROUP", {0, 1, 2, 3}},
            {"2", "", {0, 8, 16}}, {"3", "odd; (name)", {5}}, {"4", "x", {1, 2, 9}}};
        const std::string text = processGroupsText(groups);
        QCOMPARE(text,
            std::string("TENSOR_MODEL_PARALLEL_GROUP (1): 0-3;  (2): 0-16/8; odd   name  (3): 5; "
                        "x (4): 1,2,9"));
        const auto read = processGroupsFromText(text);
        QCOMPARE(read.size(), std::size_t{4});
        QVERIFY(read[0] == groups[0]);
        QVERIFY(read[1] == groups[1]);
        QCOMPARE(read[3].ranks, groups[3].ranks);
    }

    void anyRanksComeBack() {
        std::mt19937 dice(3);
        for (int i = 0; i < 500; ++i) {
            ProcessGroup group{std::to_string(i), "d", {}};
            for (int rank = 0; rank < 40; ++rank) {
                if (dice() % 3 == 0)
                    group.ranks.push_back(rank * static_cast<int>(1 + dice() % 2) + rank * 3);
            }
            std::sort(group.ranks.begin(), group.ranks.end());
            if (group.ranks.empty())
                continue;
            const auto read = processGroupsFromText(processGroupsText({group}));
            QCOMPARE(read.size(), std::size_t{1});
            QVERIFY(read[0] == group);
        }
    }

    void brokenText() {
        for (const char* text : {"x", "x (1): ", "x (1): a", "x (1): 4-", "x (1): 0-3/0",
                 "x (1): 0-3,", "x): (1): 3", "x (1): -4", "x (1): 0-99999999"})
            QVERIFY2(processGroupsFromText(text).empty(), text);
        QCOMPARE(processGroupsFromText("x; y (1): 3").size(), std::size_t{1});
    }
};

TRAINSCOPE_TEST(tst_ProcessGroup)
#include "tst_ProcessGroup.moc"
