// The C program's steps from C++: names, ownership by a smart pointer, lambdas as callbacks.
#include <carom/carom.h>

#include <cstring>
#include <iostream>
#include <memory>

struct value_deleter {
    void operator()(carom_value *value) const
    {
        carom_value_free(value);
    }
};

int main()
{
    std::unique_ptr<carom_value, value_deleter> args(carom_map());
    carom_set(args.get(), "n", carom_int(-1));
    carom_options options = carom_options_default();
    options.handlers.closed = [](carom_client *, carom_status, const char *, void *) {};
    carom_error error;
    carom_client *client = nullptr;
    carom_status status = carom_connect("127.0.0.1", 1, 1000, &options, &client, &error);
    std::cout << carom_status_name(status) << ": " << error.text << "\n";
    return carom_get_int(args.get(), "n", 0) == -1 && status == CAROM_UNAVAILABLE ? 0 : 1;
}
