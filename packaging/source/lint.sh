#!/usr/bin/env bash
# Checks that the tree is formatted and clean: clang-format, clang-tidy, qmllint, shellcheck.
#   --fix          format in place instead of complaining
#   --quick        leave clang-tidy out (it takes minutes)
#   FILE...        clang-tidy looks at these only
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=packaging/source/packages.sh
. packaging/source/packages.sh

fix=no
quick=no
files=()
for argument in "$@"; do
    case $argument in
    --fix) fix=yes ;;
    --quick) quick=yes ;;
    -*)
        echo "lint.sh: unknown argument '$argument' (expected: --fix, --quick or files)" >&2
        exit 2
        ;;
    *) files+=("$argument") ;;
    esac
done

install_packages "${build_packages[@]}" "${run_packages[@]}" "${test_packages[@]}" "${lint_packages[@]}"

failed=no
mapfile -t sources < <(git ls-files '*.cpp' '*.h')
if [ "$fix" = yes ]; then
    clang-format -i "${sources[@]}"
elif ! clang-format --dry-run --Werror "${sources[@]}"; then
    failed=yes
fi

mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
shellcheck -x "${scripts[@]}" || failed=yes

cmake --preset release -DALCOVE_BUILD_TESTS=ON >/dev/null
cmake --build --preset release --parallel "$(build_jobs)" --target all_qmllint || failed=yes

if [ "$quick" = no ]; then
    [ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'engine/*.cpp' 'app/*.cpp' 'ui/*.cpp')
    cmake --build --preset release --parallel "$(build_jobs)" # generated headers must exist
    printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/release || failed=yes
fi

if [ "$failed" = yes ]; then
    echo "Lint found something; see above." >&2
    exit 1
fi
echo "Clean: ${#sources[@]} sources, ${#scripts[@]} scripts."
