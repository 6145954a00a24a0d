#include "core/predict/operators/Collective.h"

#include "core/model/EnumNames.h"

namespace trainscope::predict {

namespace {

constexpr auto kCollectiveNames = enumNames<CollectiveKind>(
    {{CollectiveKind::AllReduce, "all_reduce"}, {CollectiveKind::AllGather, "all_gather"},
        {CollectiveKind::ReduceScatter, "reduce_scatter"}, {CollectiveKind::AllToAll, "all_to_all"},
        {CollectiveKind::SendReceive, "send_receive"}});

} // namespace

std::string_view toString(CollectiveKind kind) {
    return kCollectiveNames.nameOf(kind);
}

} // namespace trainscope::predict
