#pragma once
// A short list of labelled values for the inspector, with section heads among them. GUI thread.

#include <QAbstractListModel>
#include <QQmlEngine>
#include <QString>

#include <vector>

namespace trainscope::app {

struct Fact {
    QString label;
    QString value; // ready to read, with its unit
    bool isHead = false;
    QString note = {}; // of the value, less important
    bool operator==(const Fact&) const = default;
};

class FactListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Comes from the inspector.")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    enum Role { Label = Qt::UserRole + 1, Value, IsHead, Note };
    Q_ENUM(Role)

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int count() const { return static_cast<int>(m_facts.size()); }
    [[nodiscard]] const std::vector<Fact>& facts() const { return m_facts; }
    // Values that change in place keep their rows, so that nothing that is read jumps.
    void setFacts(std::vector<Fact> facts);
    // "label<tab>value" lines, with a note "label<tab>value<tab>note".
    [[nodiscard]] QString text() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void countChanged();

private:
    std::vector<Fact> m_facts;
};

} // namespace trainscope::app
