#include "importers/launch/LaunchFile.h"

#include "importers/launch/ReadFields.h"
#include "importers/launch/YamlScalars.h"

namespace trainscope::importers::launch {

Result<LaunchConfig> readLaunchYaml(std::string_view text, const std::string& where) {
    const auto scalars = readYamlScalars(text, where);
    if (!scalars.hasValue())
        return scalars.error();
    LaunchConfig config = readFields(Fields(scalars.value()));
    if (config == LaunchConfig{})
        return Error{ErrorCode::Unrecognised,
            "This YAML is no launch configuration: neither trainer.devices nor any model setting "
            "is in it.",
            where};
    config.origin = where;
    return config;
}

} // namespace trainscope::importers::launch
