#pragma once
// Every table of the window: heads that sort, columns that give way where there is no room, and
// rows that are worded when they are seen, so that there may be a million of them; and short lists
// of labelled values with section heads among them. GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "core/report/SelectionTables.h"

#include <QColor>
#include <QList>
#include <QQmlEngine>
#include <QString>
#include <QStringList>

namespace trainscope::app {

struct Fact {
    QString label;
    QString value; // ready to read, with its unit
    bool isHead = false;
    QString note = {}; // on the value, less important
    bool operator==(const Fact&) const = default;
};

class FactListModel : public RowListModel<Fact> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")

public:
    explicit FactListModel(QObject* parent = nullptr);
    [[nodiscard]] const std::vector<Fact>& facts() const { return rows(); }
    void setFacts(std::vector<Fact> facts) { setRows(std::move(facts)); }
    // "label<tab>value" lines, with a note "label<tab>value<tab>note".
    [[nodiscard]] QString text() const;
};

struct TableHead {
    QString title;
    QString unit = {}; // unit of the cells below; empty: none, or the cells say it
    QString tip = {};
    QString key = {};
    bool isNumber = true; // stands at the right
    bool isEditable = false;
    bool isLargestFirst = false; // order when it is first sorted by
    int importance = 0; // the greatest gives way first where there is no room; 0: never does
    double width = 0.0; // logical pixels; 0, of the first: the room that the others leave
    int order = 0; // 1: rows are sorted by it, smallest first; −1: largest first
    bool operator==(const TableHead&) const = default;
};

class TableHeads : public RowListModel<TableHead> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit TableHeads(QObject* parent = nullptr);
    void setHeads(std::vector<TableHead> heads) { setRows(std::move(heads)); }
    [[nodiscard]] QStringList titles() const;

    // Logical pixels from the table's left.
    [[nodiscard]] int columnAt(double x) const; // −1: none
    Q_INVOKABLE [[nodiscard]] double leftOf(const QString& key) const; // −1: not shown
    Q_INVOKABLE [[nodiscard]] double widthOf(const QString& key) const; // 0: not shown
    Q_INVOKABLE [[nodiscard]] QString editableAt(double x) const; // its key; empty: none
};

struct TableRow {
    QStringList cells; // by column
    QString name = {}; // read out; the whole text of the first cell
    QString spoken = {}; // read out behind it
    QString note = {}; // beside the first cell
    QString tip = {}; // on the first cell if its text does not fit; empty: the name
    QStringList tips = {}; // by column, shown even where the text fits
    QList<bool> missing = {}; // by column: said less loudly
    QColor mark = {}; // before the first cell
    bool isRound = false; // the mark
    int depth = 0; // below its caller
    bool isExpandable = false;
    bool isUnfolded = false;
    bool isChosen = false;
    bool isStrong = false;
    bool isQuiet = false;
};

// Content of a table. Its functions are called on the GUI thread while the content is shown.
struct TableContent {
    std::vector<TableHead> heads = {}; // by column
    std::vector<std::int64_t> rows = {}; // keys of the rows, in order
    std::function<TableRow(std::int64_t row)> row = {};
    // The same rows for the clipboard and CSV.
    std::function<text::Table(const std::vector<std::int64_t>& rows)> copied = {};
    // The order by a column, kept for the next content; absent: sortWanted() asks for it.
    std::function<std::vector<std::int64_t>(int column, bool isDescending)> sorted = {};
    int sortColumn = -1; // −1: as they came
    bool isDescending = false;
    bool canBeUnsorted = false; // a third click on a head puts rows as they came
    bool isOther = false; // another subject than the content before
    std::size_t most = 0; // rows that are shown; 0: all
    QString title = {};
    QString note = {}; // below it
    bool isSelectable = false;
};

class TableModel : public RowListModel<std::int64_t> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from a view.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(trainscope::app::TableHeads* heads READ heads CONSTANT FINAL)
    // Counts contents of another subject, which are read from their top.
    Q_PROPERTY(int subject READ subject NOTIFY tableChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY tableChanged FINAL)
    // Remarks: rows left out, and the meaning of the numbers.
    Q_PROPERTY(QString note READ note NOTIFY tableChanged FINAL)
    Q_PROPERTY(bool selectable READ isSelectable NOTIFY tableChanged FINAL)
    Q_PROPERTY(bool hasUnits READ hasUnits NOTIFY headsChanged FINAL)
    // Widths of the shown columns in logical pixels: all of them, the first, and each.
    Q_PROPERTY(double tableWidth READ tableWidth NOTIFY headsChanged FINAL)
    Q_PROPERTY(double nameWidth READ nameWidth NOTIFY headsChanged FINAL)
    Q_PROPERTY(QList<double> widths READ widths NOTIFY headsChanged FINAL)
    Q_PROPERTY(QList<bool> numbers READ numbers NOTIFY headsChanged FINAL) // columns at the right
    // Columns behind the first that look() sees, and where the first of them begins.
    Q_PROPERTY(int firstSeen READ firstSeen NOTIFY seenChanged FINAL)
    Q_PROPERTY(int seenCount READ seenCount NOTIFY seenChanged FINAL)
    Q_PROPERTY(double seenLeft READ seenLeft NOTIFY seenChanged FINAL)

public:
    static constexpr std::size_t kMostOfInspector = 20;

    explicit TableModel(QObject* parent = nullptr);

    // Rows that stay keep their delegates, so that nothing that is read jumps.
    void show(TableContent content);
    // The first kMostOfInspector rows in words; its rows select.
    void setTable(report::SourcedTable made);
    void setTable(text::Table table) { setTable({std::move(table), {}}); }
    [[nodiscard]] const text::Table& table() const { return m_made.table; } // given to setTable()
    void setOrder(std::vector<std::int64_t> rows, int sortColumn, bool isDescending);
    // Rows are worded again.
    void changed();

    [[nodiscard]] TableHeads* heads() { return &m_heads; }
    [[nodiscard]] const TableHeads& heads() const { return m_heads; }
    [[nodiscard]] int subject() const { return m_subject; }
    [[nodiscard]] QString title() const { return m_content.title; }
    [[nodiscard]] QString note() const;
    [[nodiscard]] bool isSelectable() const { return m_content.isSelectable; }
    [[nodiscard]] bool hasUnits() const;
    [[nodiscard]] double tableWidth() const {
        return std::accumulate(m_widths.begin(), m_widths.end(), 0.0);
    }
    [[nodiscard]] double nameWidth() const { return m_widths.value(0); }
    [[nodiscard]] QList<double> widths() const { return m_widths; }
    [[nodiscard]] QList<bool> numbers() const;
    [[nodiscard]] int firstSeen() const { return m_firstSeen; }
    [[nodiscard]] int seenCount() const { return m_seenCount; }
    [[nodiscard]] double seenLeft() const { return m_seenLeft; }
    [[nodiscard]] int sortColumn() const { return m_content.sortColumn; } // among all columns
    [[nodiscard]] bool isDescending() const { return m_content.isDescending; }
    [[nodiscard]] std::optional<std::int64_t> rowAt(int place) const {
        return isThere(place) ? std::optional(rows()[static_cast<std::size_t>(place)])
                              : std::nullopt;
    }
    [[nodiscard]] int placeOf(std::int64_t row) const; // −1: it is not there

    // Pixels that are seen from that place on; columns are fitted to them.
    Q_INVOKABLE void look(double left, double room);
    // By the head's place; a second time the other way round.
    Q_INVOKABLE void sortBy(int head);
    Q_INVOKABLE void select(int place);
    // Tip under the pointer, x from the table's left, which is scrolled by so much below the first
    // column; `isCut`: the text there does not fit.
    Q_INVOKABLE [[nodiscard]] QString tipAt(int place, double x, double scrolled, bool isCut) const;

    // Tab-separated with heads, and with the title where it has one; all rows, or those from
    // `first` on.
    Q_INVOKABLE [[nodiscard]] QString text(int first = 0, int count = -1) const;
    [[nodiscard]] QString csv() const;

Q_SIGNALS:
    void tableChanged();
    void headsChanged();
    void seenChanged();
    void sortWanted(int column, bool isDescending); // column −1: as they came
    void selected(const trainscope::report::RowSource& source);

private:
    static std::vector<Role> rolesOf(const TableModel* table);
    void replaceRows(std::vector<std::int64_t> rows, bool isOther);
    // With those that are not shown.
    [[nodiscard]] const std::vector<std::int64_t>& allRows() const {
        return m_content.rows.empty() ? rows() : m_content.rows;
    }
    [[nodiscard]] std::vector<int> fittingColumns() const;
    void showHeads();
    void showSeen();
    [[nodiscard]] const TableRow& worded(std::int64_t row) const;
    template <typename Cells>
    [[nodiscard]] Cells shownOf(const Cells& byColumn) const;

    TableContent m_content; // its rows only where not all of them are shown
    int m_subject = 0;
    report::SourcedTable m_made; // as given to setTable()
    TableHeads m_heads;
    std::vector<int> m_columns; // shown columns
    QList<double> m_widths; // widths of the shown columns
    double m_left = 0.0;
    double m_room = 0.0; // 0: not known yet, for all
    int m_firstSeen = 1;
    int m_seenCount = 0;
    double m_seenLeft = 0.0;
    // A delegate asks for each role of a row in turn.
    mutable std::optional<std::pair<std::int64_t, TableRow>> m_worded;
};

// Width of the widest of them in the window's font, logical pixels.
double widestOf(const QStringList& texts, int pixelSize);
// Rows 0 to count − 1 as they come.
std::vector<std::int64_t> rowsInOrder(std::size_t count);
// A table in words; its rows are counted from 0.
TableContent contentOf(const std::shared_ptr<const text::Table>& table, text::Digits digits);

} // namespace trainscope::app
