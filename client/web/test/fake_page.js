// A page around the code under test, without a browser.

/** Puts a page in place of Node's global object until the test `t` ends; the test makes its events. */
export function fakePage(t, {navigation = true} = {}) {
  const page = new EventTarget();
  const items = new Map();
  const kept = {};
  const globals = {
    addEventListener: page.addEventListener.bind(page), removeEventListener: page.removeEventListener.bind(page),
    document: Object.assign(new EventTarget(), {visibilityState: 'visible'}),
    location: new URL('http://here/game'),
    navigation: navigation ? new EventTarget() : undefined,
    sessionStorage: {getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value),
                     removeItem: (key) => items.delete(key)},
  };
  for (const [name, value] of Object.entries(globals)) {
    kept[name] = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, {value, configurable: true, writable: true});
  }
  t.after(() => {
    for (const [name, descriptor] of Object.entries(kept)) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  });
  return {
    items,
    fire: (name, more = {}) => page.dispatchEvent(Object.assign(new Event(name), more)),
    see: (state) => {
      document.visibilityState = state;
      document.dispatchEvent(new Event('visibilitychange'));
    },
    go: (url, more = {}) => globalThis.navigation.dispatchEvent(Object.assign(new Event('navigate'), {
      hashChange: false, downloadRequest: null, destination: {url, sameDocument: false}, ...more})),
  };
}
