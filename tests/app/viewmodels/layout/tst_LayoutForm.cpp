// The form for a layout by hand: each field's way into the request, and what is said of it.
#include "app/viewmodels/layout/LayoutForm.h"
#include "support/TestProgram.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace trainscope;
using app::LayoutForm;

class tst_LayoutForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fieldsBecomeTheRequest() {
        LayoutForm form;
        const QAbstractItemModelTester tester(
            &form, QAbstractItemModelTester::FailureReportingMode::QtTest);
        form.begin({}, 0);
        QVERIFY(!form.fits());
        QVERIFY(form.verdict().contains(QStringLiteral("how many GPUs")));
        const std::vector<std::pair<const char*, const char*>> typed{{"nodes", "4"},
            {"gpus_per_node", "8"}, {"tp", "2"}, {"cp", "2"}, {"pp", "4"}, {"ep", "2"},
            {"etp", "1"}, {"vpp", "2"}, {"layers", "16"}, {"microbatches", "8"},
            {"order", "tp-cp-ep-dp-pp"}, {"schedule", "interleaved"}};
        for (const auto& [key, text] : typed)
            form.set(QLatin1String(key), QLatin1String(text));
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
        const auto& request = form.request();
        QCOMPARE(request.nodes.value_or(0), 4);
        QCOMPARE(request.gpusPerNode.value_or(0), 8);
        QCOMPARE(request.tensor.value_or(0), 2);
        QCOMPARE(request.context.value_or(0), 2);
        QCOMPARE(request.pipeline.value_or(0), 4);
        QCOMPARE(request.expert.value_or(0), 2);
        QCOMPARE(request.expertTensor.value_or(0), 1);
        QCOMPARE(request.virtualStages.value_or(0), 2);
        QCOMPARE(request.layers.value_or(0), 16);
        QCOMPARE(request.microbatches.value_or(0), 8);
        QVERIFY(request.order == layout::kMegatronOrder);
        QVERIFY(request.schedule == layout::ScheduleKind::Interleaved);
        QVERIFY2(form.verdict().startsWith(
                     QStringLiteral("32 ranks on 4 nodes: TP 2 × CP 2 × DP 2 × PP 4")),
            qPrintable(form.verdict()));
    }

    void whatDoesNotFit_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        QTest::newRow("product") << "tp"
                                 << "5"
                                 << "8 ranks are not divisible by TP 5";
        QTest::newRow("number") << "pp"
                                << "two"
                                << "\"two\" is no whole number";
        QTest::newRow("order") << "order"
                               << "tp-tp"
                               << "tp";
        QTest::newRow("layers") << "stage_layers"
                                << "4,x"
                                << "x";
        QTest::newRow("sum") << "stage_layers"
                             << "4,5"
                             << "9";
        QTest::newRow("vpp") << "vpp"
                             << "0"
                             << "Virtual stages";
        QTest::newRow("shards") << "shard_size"
                                << "3"
                                << "Shard groups of 3 do not divide the 2 ranks of DP 2 × CP 1";
        QTest::newRow("no number") << "microbatch_group"
                                   << "2.5"
                                   << "\"2.5\" is no whole number";
        QTest::newRow("schedule") << "vpp"
                                  << "2"
                                  << "virtual";
    }
    void whatDoesNotFit() {
        QFETCH(QString, key);
        QFETCH(QString, text);
        QFETCH(QString, said);
        LayoutForm form;
        layout::LayoutRequest request;
        request.tensor = 2;
        request.pipeline = 2;
        request.layers = 8;
        request.schedule = layout::ScheduleKind::OneForwardOneBackward;
        form.begin(request, 8);
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
        form.set(key, text);
        QVERIFY2(!form.fits(), qPrintable(form.verdict()));
        QVERIFY2(form.verdict().contains(said), qPrintable(form.verdict()));
        // An empty field is what it was before anything was said.
        form.set(key, QString());
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
    }

    void shardingIsChosen() {
        LayoutForm form;
        layout::LayoutRequest request;
        request.fsdp = true; // stage 3
        form.begin(request, 16);
        const auto chosen = [&form] {
            for (int row = 0; row < form.rowCount(); ++row) {
                if (form.at(row, "key").toString() == QLatin1String("zero"))
                    return form.at(row, "current").toInt();
            }
            return -1;
        };
        QCOMPARE(chosen(), 4);
        form.set(QStringLiteral("shard_size"), QStringLiteral("8"));
        QVERIFY2(form.verdict().endsWith(QStringLiteral("ZeRO 3 over 8 of 16 ranks")),
            qPrintable(form.verdict()));
        form.set(QStringLiteral("zero"), QStringLiteral("1: optimizer"));
        QCOMPARE(form.request().zeroStage.value_or(-1), 1);
        QVERIFY(!form.request().fsdp);
        QCOMPARE(form.request().shardSize.value_or(0), 8);
        form.set(QStringLiteral("zero"), QStringLiteral("0: nothing is sharded"));
        QCOMPARE(form.request().zeroStage.value_or(-1), 0);
        form.set(QStringLiteral("zero"), QStringLiteral("not said"));
        QVERIFY(!form.request().zeroStage);
    }

    // The schedule decides: groups must be of the stages at least, and leave a rest that fills
    // them.
    void theMicrobatchGroup() {
        LayoutForm form;
        layout::LayoutRequest request;
        request.pipeline = 4;
        request.virtualStages = 2;
        request.microbatches = 10;
        form.begin(request, 4);
        const bool fitted = form.fits();
        form.set(QStringLiteral("microbatch_group"), QStringLiteral("2"));
        QVERIFY(!form.fits());
        layout::LayoutRequest same = form.request();
        same.worldSize = 4;
        const auto made = layout::makeLayout(same);
        QVERIFY(made.hasValue());
        QCOMPARE(form.verdict(),
            QString::fromStdString(layout::planSchedule(made.value()).error().message));
        form.set(QStringLiteral("microbatch_group"), QStringLiteral("5"));
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
        QCOMPARE(form.request().microbatchGroup.value_or(0), 5);
        form.set(QStringLiteral("microbatch_group"), QString());
        QCOMPARE(form.fits(), fitted);
    }

    void anotherClusterIsSaid() {
        LayoutForm form;
        form.begin({}, 8);
        form.set(QStringLiteral("nodes"), QStringLiteral("2"));
        form.set(QStringLiteral("gpus_per_node"), QStringLiteral("8"));
        QVERIFY(form.fits());
        QVERIFY(form.verdict().contains(QStringLiteral("The run shows 8 ranks")));
    }
};

TRAINSCOPE_TEST(tst_LayoutForm)
#include "tst_LayoutForm.moc"
