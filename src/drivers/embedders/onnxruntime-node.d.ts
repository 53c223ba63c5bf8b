// Its version without an installation script comes without types; they are those of the package that it is made for.
declare module 'onnxruntime-node' {
  export * from 'onnxruntime-common';
}
