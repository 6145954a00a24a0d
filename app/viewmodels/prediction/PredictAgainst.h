#pragma once
// The fields of a second cluster that the job's is held against. Plain functions.

#include "app/viewmodels/prediction/PredictFields.h"

#include <optional>

namespace trainscope::app {

namespace field_key {
inline constexpr auto kAgainst = "against_gpu";
inline constexpr auto kAgainstNodes = "against_nodes";
inline constexpr auto kAgainstPerNode = "against_per_node";
} // namespace field_key

void addAgainstFields(FormFields& fields, const QStringList& gpus);
bool isOfAgainst(const QString& key);
// As much memory as the job's GPUs have together, in whole nodes as usual, where another GPU was
// chosen than `before`.
void fitAgainst(FormFields& fields, const QString& before);
// Absent where none is chosen; what cannot be read gets a fault.
std::optional<predict::ClusterRequest> againstOf(FormFields& fields);

} // namespace trainscope::app
