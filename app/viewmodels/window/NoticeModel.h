#pragma once
// What the window has to tell: errors, warnings and results of actions, shown as a banner until the
// user closes them; results go by themselves. Newest last. GUI thread only.

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
    [[nodiscard]] QString icon() const {
        return severe ? QStringLiteral("error") : QStringLiteral("info");
    }
};

class NoticeModel : public RowListModel<Notice> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")

public:
    explicit NoticeModel(QObject* parent = nullptr);

    void error(const Error& error);
    void inform(const QString& text);

    Q_INVOKABLE void dismiss(int row);
    // All texts of a row, for the clipboard.
    Q_INVOKABLE [[nodiscard]] QString textOf(int row) const;

    // More are not kept: the oldest goes.
    static constexpr int kKept = 4;

private:
    void add(Notice notice);
    void dismissWhere(const std::function<bool(const Notice&)>& isMeant);

    int m_nextId = 0;
};

} // namespace trainscope::app
