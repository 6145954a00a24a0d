// The rows that the window keeps: their types, their room and their orders, and the table and chart
// over them.

#include "app/viewmodels/query/QueryRows.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::QueryRows;
using store::SqlValue;

namespace {

SqlValue whole(std::int64_t value) {
    SqlValue cell;
    cell.type = SqlValue::Type::Integer;
    cell.integer = value;
    return cell;
}
SqlValue real(double value) {
    SqlValue cell;
    cell.type = SqlValue::Type::Real;
    cell.real = value;
    return cell;
}
SqlValue words(const char* value) {
    SqlValue cell;
    cell.type = SqlValue::Type::Text;
    cell.text = value;
    return cell;
}

// n, what
std::shared_ptr<const QueryRows> mixed() {
    auto rows = std::make_shared<QueryRows>();
    rows->begin({"n", "what"});
    rows->add({whole(3), words("b")});
    rows->add({real(0.5), words("a")});
    rows->add({SqlValue(), whole(7)});
    rows->add({whole(-2), words("b")});
    return rows;
}

QString column(const app::TableModel& table, int at) {
    QStringList cells;
    for (int row = 0; row < table.count(); ++row)
        cells.append(table.at(row, "cells").toStringList().value(at));
    return cells.join(QLatin1Char(' '));
}

} // namespace

class tst_QueryRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTypes() {
        const auto rows = mixed();
        QCOMPARE(rows->rows(), std::size_t{4});
        QVERIFY(rows->isNumeric(0) && !rows->isNumeric(1));
        QVERIFY(rows->isNull(2, 0) && std::isnan(rows->number(2, 0)));
        QCOMPARE(rows->number(1, 0), 0.5);
        QCOMPARE(rows->value(0, 0).integer, std::int64_t{3});
        QCOMPARE(rows->value(3, 1).text, std::string("b"));
        QCOMPARE(rows->row(2).size(), std::size_t{2});
    }

    void ordersNumbersBeforeTextsAndNullLast() {
        const auto rows = mixed();
        using Order = std::vector<std::uint32_t>;
        QCOMPARE(rows->sorted(0, false), (Order{3, 1, 0, 2}));
        QCOMPARE(rows->sorted(0, true), (Order{0, 1, 3, 2}));
        QCOMPARE(rows->sorted(1, false), (Order{2, 1, 0, 3}));
        QCOMPARE(rows->sorted(1, true), (Order{0, 3, 1, 2}));
    }

    void stopsWhereTheRoomEnds() {
        QueryRows rows;
        rows.begin({"a"});
        std::size_t taken = 0;
        while (taken <= QueryRows::kMostRows && rows.add({whole(1)}))
            ++taken;
        QCOMPARE(taken, QueryRows::kMostRows);
        QVERIFY(rows.isCut());
        rows.begin({"a", "b", "c", "d", "e", "f", "g", "h"});
        QVERIFY(!rows.isCut());
        taken = 0;
        while (rows.add(std::vector<SqlValue>(8, whole(1))))
            ++taken;
        QCOMPARE(taken, QueryRows::kMostCells / 8);
        // Long texts fill the room too; the same one again takes none.
        rows.begin({"text"});
        SqlValue text = words("");
        std::size_t bytes = 0;
        for (int i = 0; i < 200; ++i) {
            text.text = std::string(1U << 20U, 'x') + std::to_string(i);
            if (!rows.add({text}))
                break;
            bytes += text.text.size();
            QVERIFY(rows.add({text}) || rows.isCut());
        }
        QVERIFY(rows.isCut());
        QVERIFY(bytes < QueryRows::kMostText + (4U << 20U));
    }

    void tableShowsThemInTheChosenOrder() {
        app::TableModel table;
        QAbstractItemModelTester tester(
            &table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto rows = mixed();
        table.show(app::queryContent(rows));
        QCOMPARE(table.heads()->titles(), test::texts("n", "what"));
        QCOMPARE(column(table, 0), QStringLiteral("3 0.5 NULL -2"));
        const auto order = rows->sorted(0, true);
        table.setOrder({order.begin(), order.end()}, 0, true);
        QCOMPARE(column(table, 0), QStringLiteral("3 0.5 -2 NULL"));
        QCOMPARE(table.text(1, 2), QStringLiteral("n\twhat\n0.5\ta\n-2\tb\n"));
        QVERIFY(table.tableWidth() > 0.0);
        table.show(app::queryContent(nullptr));
        QCOMPARE(table.count(), 0);
        QCOMPARE(table.text(0, 10), QString());
    }

    // A number behind the measured rows is not cut.
    void columnsAreAsWideAsTheirGreatestNumber() {
        const auto widthOf = [](int ones) {
            auto rows = std::make_shared<QueryRows>();
            rows->begin({"n"});
            for (int i = 0; i < ones; ++i)
                rows->add({whole(1)});
            rows->add({whole(1'234'567'890)});
            app::TableModel table;
            table.show(app::queryContent(rows));
            return table.nameWidth();
        };
        QVERIFY(widthOf(0) > 56.0); // the least
        QCOMPARE(widthOf(1'000), widthOf(0));
    }

    void chartOfTwoColumns() {
        QueryRows rows;
        rows.begin({"name", "time_ns", "value"});
        constexpr std::int64_t start = 1'700'000'000'000'000'000;
        for (int i = 0; i < 5; ++i)
            rows.add(
                {words("x"), whole(start + i * 500'000'000), i == 2 ? SqlValue() : real(10.0 * i)});
        const auto columns = app::usualColumns(rows);
        QCOMPARE(columns.x, 1);
        QCOMPARE(columns.y, 2);
        QVERIFY(columns.isLine);
        const auto chart = app::columnChart(rows, columns);
        QCOMPARE(chart.points.size(), std::size_t{4}); // one value is missing
        QVERIFY((chart.points[3] == plot::Point{2.0, 40.0})); // seconds since the first
        QCOMPARE(chart.x.siUnit, std::string("s"));
        QCOMPARE(chart.notes.size(), std::size_t{1});
        QVERIFY(app::columnChart(rows, {0, 9, false}).points.empty());
    }
};

TRAINSCOPE_GUI_TEST(tst_QueryRows)
#include "tst_QueryRows.moc"
