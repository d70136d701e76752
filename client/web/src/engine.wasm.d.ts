// The address that bundlers give for engine.wasm, for loadEngine().
declare const url: string;
export default url;
