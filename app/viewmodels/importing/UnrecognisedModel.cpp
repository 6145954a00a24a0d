#include "app/viewmodels/importing/ImportPlanModel.h"

namespace trainscope::app {

int UnrecognisedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant UnrecognisedModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& file = m_files[static_cast<std::size_t>(index.row())];
    if (role == PathRole)
        return QString::fromStdString(file.path);
    if (role == ReasonRole)
        return QString::fromStdString(file.reason);
    return {};
}

QHash<int, QByteArray> UnrecognisedModel::roleNames() const {
    return {{PathRole, "path"}, {ReasonRole, "reason"}};
}

void UnrecognisedModel::setFiles(std::vector<importers::Unrecognised> files) {
    beginResetModel();
    m_files = std::move(files);
    endResetModel();
    Q_EMIT countChanged();
}

} // namespace trainscope::app
