// The numbers behind the figure.

#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

class tst_TimelineCsv : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linesOfSeriesAndSpans() {
        TimelineData data = emptyData(2);
        data.runs[0].name = "a, \"b\"";
        data.lanes.push_back(
            metricLane(LaneStyle::Lines, "gpu_power", {{sample(10.5F, 12.5F), hole()}}));
        data.lanes.push_back(kernelLane({{span(10, 20, 1)}}));
        data.names = {{NameId{1}, {"void k<1, 2>()", "other"}}};
        const QString expected = QStringLiteral(
            "lane,metric,run,rank,node,device,start_ns,end_ns,mean,min,max,count,name,category\n"
            "lines,gpu_power,\"a, \"\"b\"\"\",0,0,,1000,1050,11.5,10.5,12.5,1,,\n"
            "kernels,,\"a, \"\"b\"\"\",0,,rank 0 · stream 7,1010,1020,1,,,1,\"void k<1, "
            "2>()\",other\n");
        QCOMPARE(QString::fromStdString(timelineCsv(data)), expected);
    }
};

TRAINSCOPE_TEST(tst_TimelineCsv)
#include "tst_TimelineCsv.moc"
