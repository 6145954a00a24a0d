#pragma once
// The frames of a call tree that spans are, looked up in the store once for each name, detail and
// link. One thread.

#include "core/analysis/operators/CallPaths.h"
#include "core/model/Span.h"
#include "core/store/Store.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace trainscope::analysis {

class CallFrames {
public:
    struct Known {
        std::uint32_t frame = 0; // number in CallPaths; runtime calls have none
        // The operator that the work itself is, in whose calls it counts, where it states its own
        // FLOP and bytes (core/model/StatedWork.h).
        std::optional<std::uint32_t> ownOperator = {};
        bool isGraphLaunch = false;
    };

    CallFrames(const store::Store& store, CallPaths& paths)
        : m_store(store)
        , m_paths(paths) { }

    Result<Known> of(const Span& span);

private:
    struct Key {
        NameId name;
        NameId detail;
        SpanKind kind = SpanKind::Other;
        Told linked = Told::Nothing;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const {
            const auto rest = static_cast<std::uint64_t>(key.linked) * 16
                + static_cast<std::uint64_t>(key.kind);
            return SpreadHash{}((static_cast<std::uint64_t>(key.name.value) << 32U)
                + (static_cast<std::uint64_t>(key.detail.value) << 8U) + rest);
        }
    };
    Result<Known> read(const Key& key);
    Result<std::uint32_t> signatureOf(NameId detail);

    const store::Store& m_store;
    CallPaths& m_paths;
    std::unordered_map<Key, Known, KeyHash> m_known;
    std::unordered_map<NameId, std::uint32_t> m_signatures;
};

} // namespace trainscope::analysis
