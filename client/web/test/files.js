// A web server for the tests' pages: the files of a folder, as they are.
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import http from 'node:http';
import {pathToFileURL} from 'node:url';

const WEB = new URL('../', import.meta.url); // client/web
const TYPES = {html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', css: 'text/css', wasm: 'application/wasm'};

/** Serves a folder (client/web, if left out) on this machine; the caller must call close(). `origin` is its address. */
export async function startFiles(folder) {
  const root = folder === undefined ? WEB : pathToFileURL(`${folder}/`);
  const files = http.createServer(async (request, response) => {
    const {pathname} = new URL(request.url, 'http://x');
    const place = new URL(`.${pathname.replace(/\/$/, '/index.html')}`, root);
    try {
      const bytes = await readFile(place);
      response.writeHead(200, {'Content-Type': TYPES[place.pathname.split('.').at(-1)] ?? 'application/octet-stream'});
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  files.origin = `http://127.0.0.1:${files.address().port}`;
  return files;
}
