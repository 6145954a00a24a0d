// Folders by which lists of runs are grouped.

#include <QTest>

#include "app/viewmodels/workspace/Workspace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

class tst_SourceFolders : public QObject {
    Q_OBJECT

    using Paths = std::vector<std::pair<RunId, std::string>>;
    using Folders = std::map<RunId, std::string>;

private Q_SLOTS:
    void ofOneSource() {
        // A file, and a folder with and without a slash behind it.
        QVERIFY(sourceFolders({{{1}, "/data/a/r1.csv"}, {{2}, "/data/a/r2"}, {{3}, "/data/b/r3/"}})
            == (Folders{{{1}, "/data/a"}, {{2}, "/data/a"}, {{3}, "/data/b"}}));
    }

    void ofSeveralSources() {
        // A folder of its own, traces below it.
        QVERIFY(sourceFolders({{{1}, "/s/r1/rank0.json"}, {{1}, "/s/r1/deep/rank1.json"},
                    {{2}, "/s/r2/rank0.json"}, {{2}, "/s/r2/rank1.json"}})
            == (Folders{{{1}, "/s"}, {{2}, "/s"}}));
        // Files of two runs side by side.
        QVERIFY(sourceFolders({{{1}, "/s/r1.csv"}, {{1}, "/s/r1.yaml"}, {{2}, "/s/r2.csv"},
                    {{2}, "/s/r2.yaml"}})
            == (Folders{{{1}, "/s"}, {{2}, "/s"}}));
    }
};

TRAINSCOPE_TEST(tst_SourceFolders)
#include "tst_SourceFolders.moc"
