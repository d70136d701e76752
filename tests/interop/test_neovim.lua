-- Neovim as a client that knows nothing of carom. It brings two ways to speak MessagePack-RPC, and
-- both are used as its own documentation shows them:
--
--   sockconnect(…, {rpc = true})   Neovim's RPC channel: requests and answers. Neovim takes whatever
--                                  the server says on it for a call of a Neovim function, so that a
--                                  snapshot is answered with an error notification. The server has
--                                  to bear that.
--   vim.mpack.Session              Neovim's MessagePack-RPC library over a socket of vim.loop:
--                                  requests, answers and notifications of any name.
--
-- Run by test_neovim.py with the server's port in CAROM_PORT. Prints a line for each thing that was
-- seen; ends with code 0 if all was as it should be.

local DEADLINE_MS = 30000
local port = tonumber(os.getenv("CAROM_PORT"))
local WORLD = "neovim"

local function say(...)
    io.stdout:write(string.format(...), "\n")
end

local function check(condition, ...)
    if not condition then
        error(string.format(...), 2)
    end
end

-- A connection of vim.loop: calls that wait for their answer, and the notifications that came.
local function stream_open()
    local tcp = vim.loop.new_tcp()
    local stream = { tcp = tcp, events = {}, snapshots = 0 }
    local session = vim.mpack.Session({ unpack = vim.mpack.Unpacker() })
    local connected = false

    local function on_notification(method, params)
        check(method == "snapshot", "unexpected notification '%s'", method)
        stream.snapshots = stream.snapshots + 1
        local snapshot = params[1]
        stream.last = snapshot
        for _, event in ipairs(snapshot.events) do
            check(event.tick <= snapshot.tick, "event of tick %d in snapshot %d", event.tick, snapshot.tick)
            table.insert(stream.events, event)
        end
    end

    local function on_read(err, bytes)
        assert(not err, err)
        check(bytes, "the server closed the connection")
        local pos, length = 1, #bytes
        while pos <= length do
            local kind, id_or_callback, method_or_error, params_or_result
            kind, id_or_callback, method_or_error, params_or_result, pos = session:receive(bytes, pos)
            if kind == "notification" then
                on_notification(method_or_error, params_or_result)
            elseif kind == "response" then
                id_or_callback(method_or_error, params_or_result)
            end
        end
    end

    function stream.call(method, arguments)
        local done, failure, result = false, nil, nil
        local head = session:request(function(err, value)
            done, failure, result = true, err, value
        end)
        tcp:write(head .. vim.mpack.encode(method) .. vim.mpack.encode({ arguments }))
        check(vim.wait(DEADLINE_MS, function() return done end, 5), "%s: no answer", method)
        check(failure == nil or failure == vim.NIL, "%s: %s", method, tostring(failure))
        return result
    end

    function stream.wait_event(kind, a, b)
        local function matching()
            for _, event in ipairs(stream.events) do
                local same = (event.a == a and event.b == b) or (event.a == b and event.b == a)
                if event.kind == kind and same then
                    return event
                end
            end
        end
        check(vim.wait(DEADLINE_MS, matching, 5), "no %s of %d and %d", kind, a, b)
        return matching()
    end

    tcp:connect("127.0.0.1", port, function(err)
        assert(not err, err)
        connected = true
        tcp:read_start(on_read)
    end)
    check(vim.wait(DEADLINE_MS, function() return connected end, 5), "no connection")
    return stream
end

local function test_drive_a_world()
    local channel = vim.fn.sockconnect("tcp", "127.0.0.1:" .. port, { rpc = true })
    check(channel > 0, "sockconnect failed")
    local function call(method, arguments)
        return vim.fn.rpcrequest(channel, method, arguments)
    end

    check(call("world.create", { world = WORLD, gravity = { 0, -10 } }).world == WORLD, "create")
    local stream = stream_open()
    stream.call("world.subscribe", { world = WORLD })

    local ground = call("body.spawn", {
        world = WORLD, type = "static", position = { 0, 0 },
        shapes = { { kind = "box", size = { 20, 1 } } },
    }).body
    local ball = call("body.spawn", {
        world = WORLD, position = { 0, 1.5 },
        shapes = { { kind = "circle", radius = 0.5 } },
    }).body

    local begin = stream.wait_event("begin", ground, ball)
    say("begin at tick %d, %.3f m/s", begin.tick, begin.speed)
    check(math.abs(begin.point[2] - 0.5) < 0.1, "the ball struck at y = %g", begin.point[2])

    call("body.impulse", { world = WORLD, body = ball, impulse = { 0, 5 } })
    local ending = stream.wait_event("end", ground, ball)
    check(ending.tick > begin.tick, "the end is not after the begin")
    say("end at tick %d", ending.tick)

    local state = call("body.get", { world = WORLD, body = ball })
    check(state.body == ball and state.type == "dynamic", "body.get says %s", vim.inspect(state))
    -- All 64 bits, as a number that Neovim can hold.
    check(state.shapes[1].filter.mask == -1, "mask %s", vim.inspect(state.shapes[1].filter.mask))
    say("%d snapshots, the ball at y = %.3f", stream.snapshots, state.position[2])
    vim.fn.chanclose(channel)
end

local function test_errors_are_shown_as_text()
    local channel = vim.fn.sockconnect("tcp", "127.0.0.1:" .. port, { rpc = true })
    local function failure(method, arguments)
        local ok, text = pcall(vim.fn.rpcrequest, channel, method, arguments)
        check(not ok, "%s should have failed", method)
        return tostring(text)
    end
    local text = failure("world.info", { world = "nowhere" })
    check(text:find("not_found: ", 1, true), "'%s' is not what was expected", text)
    text = failure("world.dance", vim.empty_dict())
    check(text:find("unknown_method: ", 1, true), "'%s' is not what was expected", text)
    text = failure("body.impulse", { world = WORLD, body = 1, impulse = "up" })
    check(text:find("invalid_argument: ", 1, true), "'%s' is not what was expected", text)
    say("errors are told: %s", text:match("invalid_argument: .*"))
    vim.fn.chanclose(channel)
end

-- What Neovim answers to a notification that it does not know must not cost it its connection.
local function test_subscribed_channel_lives_on()
    local channel = vim.fn.sockconnect("tcp", "127.0.0.1:" .. port, { rpc = true })
    local tick = vim.fn.rpcrequest(channel, "world.subscribe", { world = WORLD, rate = 60 }).tick
    vim.wait(500, function() return false end, 50) -- half a second of snapshots, and Neovim's answers
    local info = vim.fn.rpcrequest(channel, "world.info", { world = WORLD })
    check(info.tick > tick, "the world stands still at tick %d", info.tick)
    check(info.subscribers >= 1, "nobody is subscribed any more")
    say("the channel lives after %d ticks of snapshots", info.tick - tick)
    vim.fn.chanclose(channel)
end

-- A command as a notification: no answer, and the world obeys.
local function test_notification_is_obeyed()
    local channel = vim.fn.sockconnect("tcp", "127.0.0.1:" .. port, { rpc = true })
    vim.fn.rpcnotify(channel, "world.pause", { world = WORLD })
    local before = vim.fn.rpcrequest(channel, "world.info", { world = WORLD })
    vim.fn.rpcnotify(channel, "world.step", { world = WORLD, ticks = 7 })
    local after = vim.fn.rpcrequest(channel, "world.info", { world = WORLD })
    check(after.tick == before.tick + 7, "stepped from %d to %d", before.tick, after.tick)
    say("seven ticks by notification")
    vim.fn.chanclose(channel)
end

local ok, err = xpcall(function()
    test_drive_a_world()
    test_errors_are_shown_as_text()
    test_subscribed_channel_lives_on()
    test_notification_is_obeyed()
end, debug.traceback)
if not ok then
    say("FAILED: %s", err)
    vim.cmd("cquit 1")
end
vim.cmd("qall!")
