// What bundlers that take engine.wasm for a file give: its address, for loadEngine().
declare const url: string;
export default url;
