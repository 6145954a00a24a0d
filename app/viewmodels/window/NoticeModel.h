#pragma once
// Notices of the window: errors, warnings and results of actions, shown as a banner until the user
// closes them; results go by themselves, later where they can be undone. Newest last. GUI thread
// only.

#include "app/viewmodels/window/RowListModel.h"
#include "core/model/Result.h"

#include <QQmlEngine>
#include <QString>

namespace trainscope::app {

struct Notice {
    QString text;
    QString where;
    bool severe = false;
    int id = 0;
    std::function<void()> undo; // empty: it cannot be

    [[nodiscard]] bool isUndoable() const { return undo != nullptr; }
    [[nodiscard]] QString icon() const {
        return severe ? QStringLiteral("error") : QStringLiteral("info");
    }
};

class NoticeModel : public RowListModel<Notice> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit NoticeModel(QObject* parent = nullptr);

    void error(const Error& error);
    void inform(const QString& text);
    // Stays until the user closes it.
    void tell(const QString& text);
    // Tells of a removal, with the function that undoes it.
    void offerUndo(const QString& text, std::function<void()> undo);
    // Says that the removal cannot be undone any longer.
    void withdrawUndo();

    Q_INVOKABLE void dismiss(int row);
    Q_INVOKABLE void undo(int row);
    // All texts of a row, for the clipboard.
    Q_INVOKABLE [[nodiscard]] QString textOf(int row) const;

    // More are not kept: the oldest goes.
    static constexpr int kKept = 4;

private:
    void add(Notice notice);
    void addFor(int milliseconds, Notice notice);
    bool dismissWhere(const std::function<bool(const Notice&)>& isMeant);

    int m_nextId = 0;
};

} // namespace trainscope::app
