// The address that bundlers give for engine.wasm, to pass to loadEngine().
declare const url: string;
export default url;
