// The one model of all tables: its rows' order and what changes of them, columns that give way and
// those that are seen, tips, and copies. A painted item holds a picture while it is seen, none
// while it is hidden.

#include "app/viewmodels/workspace/PictureItem.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "support/TestProgram.h"

#include <QPainter>
#include <QQuickWindow>

using namespace trainscope::app;

namespace {

text::Table fruits() {
    text::Table table{"", {{"name", text::Align::Left}, text::inUnit("power", "W"), {"count"}}};
    table.add({"pear", 200.0, 2});
    table.add({"apple", text::Cell(), 10});
    table.add({"fig", 1500.0, 9});
    return table;
}

TableContent fruitContent() {
    return contentOf(std::make_shared<const text::Table>(fruits()), text::Digits::Three);
}

// Rows by their own numbers, each of 20 columns of 100 pixels.
TableContent wideContent(std::vector<std::int64_t> rows) {
    TableContent content;
    for (int column = 0; column < 20; ++column) {
        TableHead& head = content.heads.emplace_back();
        head.title = QString::number(column);
        head.width = 100.0;
    }
    content.rows = std::move(rows);
    content.row = [](std::int64_t row) { return TableRow{{QString::number(row)}}; };
    return content;
}

QString firstCells(const TableModel& table) {
    QStringList cells;
    for (int row = 0; row < table.count(); ++row)
        cells.append(table.at(row, "cells").toStringList().value(0));
    return cells.join(QLatin1Char(' '));
}

class Picture : public app::PictureItem {
public:
    using app::PictureItem::PictureItem;

    int paintings = 0;
    bool isKept = false;

    void paint(QPainter* painter) override {
        ++paintings;
        painter->fillRect(boundingRect(), Qt::red);
    }

protected:
    QSGNode* updatePaintNode(QSGNode* node, UpdatePaintNodeData* data) override {
        node = app::PictureItem::updatePaintNode(node, data);
        isKept = node != nullptr;
        return node;
    }
    void pointedAt(QPointF /*at*/) override { }
    void left() override { }
};

} // namespace

class tst_TableModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Names from A on, figures from the largest on, then the other way round, then as they came.
    void clicksOnAHeadSort() {
        TableModel table;
        QAbstractItemModelTester tester(
            &table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.show(fruitContent());
        QCOMPARE(firstCells(table), QStringLiteral("pear apple fig"));
        table.sortBy(0);
        QCOMPARE(firstCells(table), QStringLiteral("apple fig pear"));
        QCOMPARE(table.heads()->at(0, "order"), QVariant(1));
        table.sortBy(2);
        QCOMPARE(firstCells(table), QStringLiteral("apple fig pear"));
        QCOMPARE(table.heads()->at(2, "order"), QVariant(-1));
        table.sortBy(2);
        QCOMPARE(firstCells(table), QStringLiteral("pear fig apple"));
        table.sortBy(2);
        QCOMPARE(firstCells(table), QStringLiteral("pear apple fig"));
        QCOMPARE(table.sortColumn(), -1);
        // Unknown cells come last either way.
        table.sortBy(1);
        QCOMPARE(firstCells(table), QStringLiteral("fig pear apple"));
        table.show(fruitContent()); // stays sorted
        QCOMPARE(firstCells(table), QStringLiteral("fig pear apple"));
        table.sortBy(7);
        QCOMPARE(table.sortColumn(), 1);
    }

    // The first column is counted wider than its 0 pixels: there is no room even without the
    // others.
    void theLastColumnStays() {
        TableModel table;
        TableContent content = wideContent({1});
        content.heads.resize(2);
        for (TableHead& head : content.heads)
            head.importance = 1;
        content.heads.front().width = 0.0;
        table.show(std::move(content));
        table.look(0.0, 1.0);
        QCOMPARE(table.heads()->count(), 1);
    }

    void theOwnerSortsWhereItMust() {
        TableModel table;
        table.show(wideContent({1, 2}));
        QSignalSpy wanted(&table, &TableModel::sortWanted);
        table.sortBy(3);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().at(0).toInt(), 3);
        QCOMPARE(table.sortColumn(), -1);
        table.setOrder({2, 1}, 3, false);
        QCOMPARE(firstCells(table), QStringLiteral("2 1"));
        table.sortBy(3);
        QCOMPARE(wanted.back().at(1).toBool(), true);
    }

    void rowsThatStayAreNotTouched() {
        TableModel table;
        QAbstractItemModelTester tester(
            &table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.show(wideContent({1, 2, 3, 7, 8}));
        QSignalSpy resets(&table, &QAbstractItemModel::modelReset);
        QSignalSpy removed(&table, &QAbstractItemModel::rowsRemoved);
        QSignalSpy inserted(&table, &QAbstractItemModel::rowsInserted);
        table.show(wideContent({1, 2, 4, 5, 6, 7, 8}));
        QCOMPARE(firstCells(table), QStringLiteral("1 2 4 5 6 7 8"));
        QCOMPARE(removed.size(), 1);
        QCOMPARE(removed.front().at(1).toInt(), 2);
        QCOMPARE(removed.front().at(2).toInt(), 2);
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(inserted.front().at(1).toInt(), 2);
        QCOMPARE(inserted.front().at(2).toInt(), 4);
        table.show(wideContent({1, 8}));
        QCOMPARE(firstCells(table), QStringLiteral("1 8"));
        QCOMPARE(removed.size(), 2);
        QCOMPARE(table.placeOf(8), 1);
        QCOMPARE(table.placeOf(7), -1);
        QCOMPARE(resets.size(), 0);
        table.show(wideContent({8, 1})); // as many: they stay in their places
        QCOMPARE(firstCells(table), QStringLiteral("8 1"));
        QCOMPARE(removed.size() + inserted.size(), 3);
        QCOMPARE(resets.size(), 0);
        auto other = wideContent({1, 8});
        other.isOther = true;
        table.show(std::move(other));
        QCOMPARE(resets.size(), 1);
        QVERIFY(!table.rowAt(2) && !table.rowAt(-1));
    }

    // 20 columns of 100 pixels, of which the first stays.
    void onlyColumnsThatAreSeen() {
        TableModel table;
        table.show(wideContent({1}));
        QCOMPARE(table.seenCount(), 19);
        table.look(0.0, 350.0);
        QCOMPARE(table.firstSeen(), 1);
        QCOMPARE(table.seenCount(), 3);
        table.look(1010.0, 350.0);
        QCOMPARE(table.firstSeen(), 10); // ends at 1,100
        QCOMPARE(table.seenLeft(), 1000.0);
        QCOMPARE(table.seenCount(), 4);
        QCOMPARE(table.tableWidth(), 2000.0);
    }

    // The greatest gives way first, never the one that is sorted by; the first has what is left.
    void columnsGiveWay() {
        TableModel table;
        auto content = wideContent({1});
        content.heads.resize(4);
        content.heads[0].width = 0.0;
        content.heads[2].importance = 1;
        content.heads[3].importance = 2;
        const auto titles = [&table] { return table.heads()->titles().join(QLatin1Char(' ')); };
        table.show(content);
        QCOMPARE(titles(), QStringLiteral("0 1 2 3"));
        table.look(0.0, 450.0);
        QCOMPARE(titles(), QStringLiteral("0 1 2"));
        QCOMPARE(table.nameWidth(), 250.0);
        QVERIFY(table.heads()->at(0, "tip").toString().contains(QLatin1Char('3')));
        content.sortColumn = 3;
        table.show(content);
        QCOMPARE(titles(), QStringLiteral("0 1 3"));
        table.look(0.0, 100.0); // less than any needs
        QCOMPARE(titles(), QStringLiteral("0 1 3"));
        table.look(0.0, 600.0);
        QCOMPARE(titles(), QStringLiteral("0 1 2 3"));
        QCOMPARE(table.nameWidth(), 300.0);
    }

    void theFirstOfMany() {
        TableModel table;
        QAbstractItemModelTester tester(
            &table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto content = wideContent({1, 2, 3, 4, 5, 6});
        content.most = 3;
        table.show(content);
        QCOMPARE(firstCells(table), QStringLiteral("1 2 3"));
        QCOMPARE(table.note(), QStringLiteral("3 of 6 rows are shown; a copy has all."));
        content.rows = {1, 3};
        table.show(content);
        QCOMPARE(firstCells(table), QStringLiteral("1 3"));
        QCOMPARE(table.note(), QString());
        content.rows = {1, 2, 3, 4, 5};
        table.show(content);
        QCOMPARE(firstCells(table), QStringLiteral("1 2 3"));
        QCOMPARE(table.placeOf(4), -1);
    }

    void tips() {
        TableModel table;
        auto content = wideContent({1});
        content.row = [](std::int64_t) {
            TableRow row{{QStringLiteral("cut"), QStringLiteral("cell"), QStringLiteral("—")}};
            row.name = QStringLiteral("whole name");
            row.tips = {QString(), QString(), QStringLiteral("not measured")};
            return row;
        };
        table.show(content);
        QCOMPARE(table.tipAt(0, 10.0, 0.0, false), QString());
        QCOMPARE(table.tipAt(0, 10.0, 0.0, true), QStringLiteral("whole name"));
        QCOMPARE(table.tipAt(0, 110.0, 0.0, true), QStringLiteral("cell"));
        QCOMPARE(table.tipAt(0, 210.0, 0.0, false), QStringLiteral("not measured"));
        // Below the first column, which stays.
        QCOMPARE(table.tipAt(0, 210.0, 150.0, true), QStringLiteral("whole name"));
        QCOMPARE(table.tipAt(9, 10.0, 0.0, true), QString());
    }

    void copies() {
        TableModel table;
        table.show(fruitContent());
        table.sortBy(0);
        QCOMPARE(table.text(1, 1), QStringLiteral("name\tpower\tcount\nfig\t1500 W\t9\n"));
        QCOMPARE(table.csv(),
            QStringLiteral("name,power (W),count\napple,,10\nfig,1500,9\npear,200,2\n"));
        QCOMPARE(table.text(5, 9), QStringLiteral("name\tpower\tcount\n"));
        QCOMPARE(TableModel().text(), QString());
    }

    void nothingIsKeptOfAHiddenView() {
        QQuickWindow window;
        window.resize(200, 100);
        QQuickItem view(window.contentItem());
        Picture picture(&view);
        picture.setSize(QSizeF(200, 100));
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTRY_VERIFY(picture.isKept);
        QCOMPARE(window.grabWindow().pixelColor(100, 50), QColor(Qt::red));
        const int before = picture.paintings;
        view.setVisible(false);
        QTRY_VERIFY(!picture.isKept);
        QCOMPARE(picture.paintings, before);
        view.setVisible(true);
        QTRY_VERIFY(picture.isKept);
        QVERIFY(picture.paintings > before);
        QCOMPARE(window.grabWindow().pixelColor(100, 50), QColor(Qt::red));
    }
};

TRAINSCOPE_GUI_TEST(tst_TableModel)
#include "tst_TableModel.moc"
