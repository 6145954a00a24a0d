// A client of others against `trainscope-cli mcp`: @modelcontextprotocol/client in the stateless form, @modelcontextprotocol/sdk behind a
// handshake. Each lists the tools, asks one, and is told of an error.
//
// mcp_client.mjs PROGRAM DATABASE; see mcp_client.sh.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [program, database] = process.argv.slice(2);
const modules = createRequire(pathToFileURL(process.env.TRAINSCOPE_MCP_CLIENT + '/x.js'));
const serverOf = { command: program, args: ['mcp', database] };

async function ask(name, client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const runs = await client.callTool({ name: 'runs', arguments: {} });
  const wrong = await client.callTool({ name: 'overview', arguments: { run: 'nobody' } });
  await client.close();
  const told = runs.content[0].text;
  if (tools.length !== 10 || runs.isError || !told.includes('job') || !wrong.isError || !wrong.content[0].text.includes('Next: '))
    throw new Error(`${name}: ${tools.length} tools; ${told}; ${JSON.stringify(wrong)}`);
  console.log(`${name}: ${tools.length} tools`);
}

const modern = modules('@modelcontextprotocol/client');
const modernStdio = modules('@modelcontextprotocol/client/stdio');
const client = new modern.Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
await ask('stateless', client, new modernStdio.StdioClientTransport(serverOf));

const { Client } = modules('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = modules('@modelcontextprotocol/sdk/client/stdio.js');
await ask('behind a handshake', new Client({ name: 'test', version: '1' }), new StdioClientTransport(serverOf));
