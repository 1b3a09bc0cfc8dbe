#!/usr/bin/env bash
# From a fresh machine to a conversation: installs what is missing, builds a release, fetches the starter model once, and
# opens the window. Arguments are handed to the window. Safe to run again: what is done already is not done twice.
#   ALCOVE_DATA   where conversations and models are kept (default: the user's data folder)
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=packaging/source/packages.sh
. packaging/source/packages.sh
# shellcheck source=packaging/source/starter_model.sh
. packaging/source/starter_model.sh

install_packages "${build_packages[@]}" "${run_packages[@]}" "${fetch_packages[@]}"

echo "Building Alcove ..." >&2
cmake --preset release -DALCOVE_BUILD_TESTS=OFF >build.log 2>&1 || { tail -20 build.log >&2; exit 1; }
cmake --build --preset release --parallel "$(build_jobs)" >>build.log 2>&1 || { tail -40 build.log >&2; exit 1; }
mv build.log build/release/build.log

models="$(data_folder)/models"
fetch_starter_model "$models" || echo "Alcove starts without it; choose a model file in the window." >&2

if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    echo "There is no display here, so the window cannot open. In this terminal you can chat with:" >&2
    echo "    $PWD/build/release/alcove-cli chat -m $models/$starter_file" >&2
    exit 0
fi
exec build/release/alcove "$@"
