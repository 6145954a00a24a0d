#pragma once
// Settings in the command lines and logs of Megatron-LM, Megatron-DeepSpeed and GPT-NeoX:
//  - "--tensor-model-parallel-size 8", "--micro-batch-size=4", "--bf16" and Hydra overrides
//    ("model.num_layers=96", "trainer.devices=8"), in a script, an argument file or a logged
//    command; variables assigned in the same script are resolved, with ${NAME:-default} and
//    products and quotients in $((…)); #SBATCH lines count as arguments;
//  - the block that these programs print at their start, "  hidden_size ........ 12288", whose
//    values are those in force and go before the command line's;
//  - "Namespace(micro_batch_size=4, bf16=True)", as argparse prints it;
//  - "padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)".
// A value that needs something from outside the text is not stated.

#include "importers/launch/Settings.h"

namespace trainscope::importers::launch {

// Stated: variables that a script assigns are settings too ("TP=8", "export SEQ_LEN=4096"), under
// their names in small letters, where no argument says the same.
enum class Variables { Resolved, Stated };

// Empty where there are none. Names with underscores, the last of several values.
Settings readArguments(std::string_view text, Variables variables = Variables::Resolved);

} // namespace trainscope::importers::launch
