// Types of packages that bring none: as much of them as is used here.

/** Its version without an installation script; the types are those of the package that it implements. */
declare module 'onnxruntime-node' {
  export * from 'onnxruntime-common';
}
